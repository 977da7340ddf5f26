//===- TranslateMemory.cpp - Memory, other threads, copies ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are those of the PTX ISA, 9.7.14 (mma.sync, ldmatrix); shuffles
// are 9.7.9.6.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::emulator;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static void checkAlignment(const Thread &thread, ThreadBlock &block,
                           Word address, uint64_t alignment) {
  uint64_t offset = address >= kSharedBase ? address - kSharedBase : address;
  if (offset % alignment)
    block.fail(thread,
               "uses an address that is not a multiple of " + Twine(alignment));
}

bool Translator::translateMemory(Operation *op) {
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
    auto it = globals.find(address.getGlobalName().str());
    if (it == globals.end())
      return false;
    setConstant(address, kSharedBase + it->second);
    return true;
  }
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    unsigned from = slotOf(load.getAddr()), to = slotOf(load);
    unsigned words = count(load);
    unsigned bytes = getBytes(getElements(load.getType()).front());
    uint64_t alignment = load.getAlignment().value_or(bytes);
    compute(op, [=](Thread &thread, ThreadBlock &block) {
      Word address = thread.frame[from];
      checkAlignment(thread, block, address, alignment);
      SmallVector<char, 64> data(words * bytes);
      block.load(thread, address, data);
      for (unsigned i = 0; i < words; ++i) {
        Word &word = thread.frame[to + i] = 0;
        std::memcpy(&word, data.data() + i * bytes, bytes);
      }
    });
    return true;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    unsigned from = slotOf(store.getValue()), to = slotOf(store.getAddr());
    unsigned words = count(store.getValue());
    unsigned bytes = getBytes(getElements(store.getValue().getType()).front());
    uint64_t alignment = store.getAlignment().value_or(bytes);
    compute(op, [=](Thread &thread, ThreadBlock &block) {
      Word address = thread.frame[to];
      checkAlignment(thread, block, address, alignment);
      SmallVector<char, 64> data(words * bytes);
      for (unsigned i = 0; i < words; ++i)
        std::memcpy(data.data() + i * bytes, &thread.frame[from + i], bytes);
      block.store(thread, address, data);
    });
    return true;
  }
  auto gep = dyn_cast<LLVM::GEPOp>(op);
  if (!gep)
    return false;
  // The bytes that a step of each index takes.
  struct Index {
    bool isConstant;
    int64_t value;
    unsigned slot, bits;
    int64_t stride;
  };
  SmallVector<Index> indices;
  Type type = gep.getElemType();
  bool first = true;
  for (auto index : gep.getIndices()) {
    if (!first) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      auto vector = dyn_cast<VectorType>(type);
      if (!array && !vector)
        return false;
      type = array ? array.getElementType() : vector.getElementType();
    }
    first = false;
    int64_t stride = 0;
    for (Type element : getElements(type))
      stride += getBytes(element);
    if (auto constant = dyn_cast<IntegerAttr>(index)) {
      indices.push_back({true, constant.getInt(), 0, 0, stride});
      continue;
    }
    auto value = cast<Value>(index);
    indices.push_back(
        {false, 0, slotOf(value), getBits(value.getType()), stride});
  }
  unsigned base = slotOf(gep.getBase()), to = slotOf(gep);
  compute(op, [=](Thread &thread, ThreadBlock &) {
    Word address = thread.frame[base];
    for (const Index &index : indices)
      address +=
          index.stride *
          (index.isConstant ? index.value
                            : signExtend(thread.frame[index.slot], index.bits));
    thread.frame[to] = address;
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

static bool isAcquire(LLVM::AtomicOrdering ordering) {
  return ordering == LLVM::AtomicOrdering::acquire ||
         ordering == LLVM::AtomicOrdering::acq_rel ||
         ordering == LLVM::AtomicOrdering::seq_cst;
}

static bool isRelease(LLVM::AtomicOrdering ordering) {
  return ordering == LLVM::AtomicOrdering::release ||
         ordering == LLVM::AtomicOrdering::acq_rel ||
         ordering == LLVM::AtomicOrdering::seq_cst;
}

bool Translator::translateAtomic(Operation *op) {
  if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
    LLVM::AtomicOrdering ordering = fence.getOrdering();
    compute(op, [=](Thread &, ThreadBlock &block) {
      block.getDevice().fence(isRelease(ordering), isAcquire(ordering));
    });
    return true;
  }
  auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op);
  if (!atomic || !isa<IntegerType>(atomic.getType()))
    return false;
  unsigned bytes = getBytes(atomic.getType()), bits = bytes * 8;
  using Function = Word (*)(Word, Word);
  Function function = [&]() -> Function {
    switch (atomic.getBinOp()) {
    case LLVM::AtomicBinOp::xchg:
      return [](Word, Word value) { return value; };
    case LLVM::AtomicBinOp::add:
      return [](Word old, Word value) { return old + value; };
    case LLVM::AtomicBinOp::sub:
      return [](Word old, Word value) { return old - value; };
    case LLVM::AtomicBinOp::uinc_wrap:
      return [](Word old, Word value) { return old >= value ? 0 : old + 1; };
    default:
      return nullptr;
    }
  }();
  if (!function)
    return false;
  unsigned pointer = slotOf(atomic.getPtr()), value = slotOf(atomic.getVal());
  unsigned to = slotOf(atomic);
  LLVM::AtomicOrdering ordering = atomic.getOrdering();
  compute(op, [=](Thread &thread, ThreadBlock &block) {
    block.getDevice().atomic(isRelease(ordering), isAcquire(ordering));
    thread.frame[to] = block.updateAtomically(
        thread, thread.frame[pointer], bytes, [&](Word old) {
          return truncate(function(old, thread.frame[value]), bits);
        });
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

bool Translator::translateId(Operation *op) {
  using Function = int64_t (*)(const Thread &, ThreadBlock &);
  Function function =
      llvm::TypeSwitch<Operation *, Function>(op)
          .Case([](NVVM::ThreadIdXOp) {
            return [](const Thread &thread, ThreadBlock &) {
              return int64_t(thread.moment.thread);
            };
          })
          .Case([](NVVM::LaneIdOp) {
            return [](const Thread &thread, ThreadBlock &) {
              return int64_t(thread.moment.thread % kLanes);
            };
          })
          .Case([](NVVM::BlockIdXOp) {
            return [](const Thread &, ThreadBlock &block) {
              return block.getBlockId(0);
            };
          })
          .Case([](NVVM::BlockDimXOp) {
            return [](const Thread &, ThreadBlock &block) {
              return block.getBlockSize(0);
            };
          })
          .Case([](NVVM::GridDimXOp) {
            return [](const Thread &, ThreadBlock &block) {
              return block.getGridSize(0);
            };
          })
          .Default([](Operation *) -> Function { return nullptr; });
  if (!function)
    return false;
  unsigned to = slotOf(op->getResult(0));
  compute(op, [=](Thread &thread, ThreadBlock &block) {
    thread.frame[to] = function(thread, block);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Copies to shared memory
//===----------------------------------------------------------------------===//

bool Translator::translateCopy(Operation *op) {
  if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op)) {
    unsigned to = slotOf(copy.getDst()), from = slotOf(copy.getSrc());
    unsigned bytes = copy.getSize();
    std::optional<unsigned> taken;
    if (copy.getCpSize())
      taken = slotOf(copy.getCpSize());
    compute(op, [=](Thread &thread, ThreadBlock &block) {
      Word count = taken ? thread.frame[*taken] : bytes;
      checkAlignment(thread, block, thread.frame[to], bytes);
      if (count > bytes)
        return block.fail(thread, "copies more bytes than there is place");
      if (count)
        checkAlignment(thread, block, thread.frame[from], bytes);
      block.startCopy(thread, {thread.frame[to], thread.frame[from], bytes,
                               static_cast<unsigned>(count)});
    });
    return true;
  }
  if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
    compute(op, [](Thread &thread, ThreadBlock &) {
      thread.groups.push_back(std::move(thread.open));
      thread.open.clear();
    });
    return true;
  }
  // Grids run one after the other here.
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (isa<NVVM::GriddepcontrolOp>(op) ||
      (assembly && assembly.getAsmString() == "griddepcontrol.wait;"))
    return true;
  auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op);
  if (!wait)
    return false;
  bool dropped = options.drop == EmulatorOptions::Drop::Wait &&
                 options.number == counts.waits;
  ++counts.waits;
  unsigned left = wait.getN();
  compute(op, [=](Thread &thread, ThreadBlock &block) {
    if (!dropped)
      block.waitForCopies(thread, left);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

/// The lane whose value `lane` gets, or itself where there is none.
static unsigned getSource(NVVM::ShflKind kind, unsigned lane, unsigned offset,
                          unsigned maskAndClamp, bool &valid) {
  unsigned clamp = maskAndClamp & 31, segment = (maskAndClamp >> 8) & 31;
  int last = int((lane & segment) | (clamp & ~segment));
  int first = int(lane & segment), source = int(lane);
  offset &= 31;
  switch (kind) {
  case NVVM::ShflKind::up:
    source = int(lane) - int(offset);
    // For `up` the clamp is the lowest lane.
    valid = source >= last;
    break;
  case NVVM::ShflKind::down:
    source = int(lane) + int(offset);
    valid = source <= last;
    break;
  case NVVM::ShflKind::bfly:
    source = int(lane) ^ int(offset);
    valid = source <= last;
    break;
  case NVVM::ShflKind::idx:
    source = first | (int(offset) & ~int(segment));
    valid = source <= last;
    break;
  }
  return valid ? unsigned(source) : lane;
}

namespace {
/// The elements of an operand of mma.sync as numbers: words of one element or
/// of two.
struct MmaOperand {
  SmallVector<unsigned> slots;
  unsigned perWord = 1;
  Decode decode = nullptr;

  double get(const Thread &thread, unsigned index) const {
    Word word = thread.frame[slots[index / perWord]];
    return decode(perWord == 1 ? word : truncate(word >> (index % 2 * 16), 16));
  }
};
} // namespace

/// D = A B + C for one warp. Lane l holds rows l / 4 (and 8 more) and columns
/// 2 (l % 4) (and 1, 8, 9 more).
static void multiply(MutableArrayRef<Thread> warp, const MmaOperand &a,
                     const MmaOperand &b, ArrayRef<unsigned> c, unsigned to) {
  double left[16][16], right[16][8];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned row = lane / 4, column = lane % 4 * 2;
    for (unsigned i = 0; i < 8; ++i)
      left[row + i / 2 % 2 * 8][column + i % 2 + i / 4 * 8] =
          a.get(warp[lane], i);
    for (unsigned i = 0; i < 4; ++i)
      right[column + i % 2 + i / 2 * 8][row] = b.get(warp[lane], i);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum =
          llvm::bit_cast<float>(static_cast<uint32_t>(warp[lane].frame[c[i]]));
      for (unsigned k = 0; k < 16; ++k)
        sum += left[row][k] * right[k][column];
      warp[lane].frame[to + i] =
          llvm::bit_cast<uint32_t>(static_cast<float>(sum));
    }
}

/// A barrier at which threads learn whether one of them says yes.
bool Translator::translateVote(Operation *op) {
  auto barrier = dyn_cast<NVVM::BarrierOp>(op);
  if (!barrier || barrier.getReductionOp() != NVVM::BarrierReduction::OR ||
      barrier.getBarrierId() || barrier.getNumberOfThreads())
    return false;
  unsigned mine = slotOf(barrier.getReductionPredicate());
  unsigned to = slotOf(barrier.getRes());
  add(op, Instruction::Kind::Barrier).runTogether =
      [=](MutableArrayRef<Thread> all, ThreadBlock &) {
        bool any = llvm::any_of(
            all, [&](const Thread &thread) { return thread.frame[mine] != 0; });
        for (Thread &thread : all)
          thread.frame[to] = any;
      };
  return true;
}

bool Translator::translateWarp(Operation *op) {
  if (isa<NVVM::Barrier0Op>(op) ||
      (isa<NVVM::BarrierOp>(op) && !op->getNumOperands() &&
       !op->getNumResults())) {
    bool dropped = options.drop == EmulatorOptions::Drop::Barrier &&
                   options.number == counts.barriers;
    ++counts.barriers;
    if (dropped)
      compute(op, [](Thread &, ThreadBlock &) {});
    else
      add(op, Instruction::Kind::Barrier);
    return true;
  }
  if (isa<NVVM::SyncWarpOp>(op)) {
    collective(op, [](MutableArrayRef<Thread> warp, ThreadBlock &) {
      for (Thread &thread : warp)
        ++thread.moment.warpEpoch;
    });
    return true;
  }
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    unsigned value = slotOf(shuffle.getVal()), to = slotOf(shuffle.getRes());
    unsigned offset = slotOf(shuffle.getOffset());
    unsigned clamp = slotOf(shuffle.getMaskAndClamp());
    NVVM::ShflKind kind = shuffle.getKind();
    bool wantsValid = count(shuffle.getRes()) == 2;
    collective(op, [=](MutableArrayRef<Thread> warp, ThreadBlock &) {
      SmallVector<std::pair<Word, bool>, kLanes> received;
      for (auto [lane, thread] : llvm::enumerate(warp)) {
        bool valid = false;
        unsigned source = getSource(kind, lane, thread.frame[offset],
                                    thread.frame[clamp], valid);
        received.push_back(
            {warp[std::min<size_t>(source, warp.size() - 1)].frame[value],
             valid});
      }
      for (auto [thread, pair] : llvm::zip_equal(warp, received)) {
        thread.frame[to] = pair.first;
        if (wantsValid)
          thread.frame[to + 1] = pair.second;
      }
    });
    return true;
  }
  return translateMatrix(op);
}

bool Translator::translateMatrix(Operation *op) {
  if (auto load = dyn_cast<NVVM::LdMatrixOp>(op)) {
    unsigned pointer = slotOf(load.getPtr()), to = slotOf(load.getRes());
    unsigned matrices = load.getNum();
    bool transposed = load.getLayout() == NVVM::MMALayout::col;
    collective(op, [=](MutableArrayRef<Thread> warp, ThreadBlock &block) {
      for (unsigned matrix = 0; matrix < matrices; ++matrix) {
        uint16_t rows[8][8] = {};
        for (unsigned row = 0; row < 8; ++row) {
          Thread &thread = warp[matrix * 8 + row];
          checkAlignment(thread, block, thread.frame[pointer], 16);
          block.load(thread, thread.frame[pointer],
                     MutableArrayRef<char>(reinterpret_cast<char *>(rows[row]),
                                           sizeof(rows[row])));
        }
        for (auto [lane, thread] : llvm::enumerate(warp)) {
          unsigned major = lane / 4, minor = lane % 4 * 2;
          Word low = transposed ? rows[minor][major] : rows[major][minor];
          Word high =
              transposed ? rows[minor + 1][major] : rows[major][minor + 1];
          thread.frame[to + matrix] = low | high << 16;
        }
      }
    });
    return true;
  }
  auto mma = dyn_cast<NVVM::MmaOp>(op);
  if (!mma || mma.getShape().getM() != 16 || mma.getShape().getN() != 8 ||
      mma.getShape().getK() != 16 || mma.getLayoutA() != NVVM::MMALayout::row ||
      mma.getLayoutB() != NVVM::MMALayout::col)
    return false;
  bool isBF16 = mma.getMultiplicandAPtxType() == NVVM::MMATypes::bf16;
  Type type = isBF16 ? Type(BFloat16Type::get(op->getContext()))
                     : Type(Float16Type::get(op->getContext()));
  auto getOperand = [&](ValueRange values) {
    MmaOperand operand;
    operand.decode = getDecode(type);
    operand.perWord = isa<IntegerType>(values.front().getType()) ? 2 : 1;
    for (Value value : values)
      for (unsigned i = 0; i < count(value); ++i)
        operand.slots.push_back(slotOf(value) + i);
    return operand;
  };
  MmaOperand a = getOperand(mma.getOperandA());
  MmaOperand b = getOperand(mma.getOperandB());
  SmallVector<unsigned> c;
  for (Value value : mma.getOperandC())
    c.push_back(slotOf(value));
  unsigned to = slotOf(mma.getRes());
  if (a.slots.size() * a.perWord != 8 || b.slots.size() * b.perWord != 4 ||
      c.size() != 4 || !getElements(mma.getRes().getType()).front().isF32())
    return false;
  collective(op, [=](MutableArrayRef<Thread> warp, ThreadBlock &) {
    multiply(warp, a, b, c, to);
  });
  return true;
}
