//===- ThreadSimulator.cpp - Runs a distributed kernel on the host --------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow, memory and what threads do together. Arithmetic is in
// SimulatedArith.cpp.
//
//===----------------------------------------------------------------------===//

#include "ThreadSimulator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::cleave::test;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

uint64_t cleave::test::encode(Type type, Cell value) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat f(value.f);
    bool lossy;
    f.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
              &lossy);
    return f.bitcastToAPInt().getZExtValue();
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return width == 64 ? value.i : value.i & ((uint64_t(1) << width) - 1);
}

Cell cleave::test::decode(Type type, uint64_t bits) {
  Cell cell;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat f(floatType.getFloatSemantics(),
                    llvm::APInt(floatType.getWidth(), bits));
    bool lossy;
    f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
              &lossy);
    cell.f = f.convertToDouble();
    return cell;
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  cell.i = width == 64 ? int64_t(bits) : llvm::SignExtend64(bits, width);
  return cell;
}

double cleave::test::roundTo(Type type, double value) {
  if (type.isF32())
    return float(value);
  if (type.isF64())
    return value;
  Cell cell;
  cell.f = value;
  return decode(type, encode(type, cell)).f;
}

static int64_t bytesOf(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static int64_t countOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  if (auto structType = dyn_cast<LLVM::LLVMStructType>(type))
    return structType.getBody().size();
  return 1;
}

void ThreadSimulator::fail(Operation &op, const Twine &message) {
  if (!error.empty())
    return;
  llvm::raw_string_ostream os(error);
  os << message << " at ";
  op.print(os, OpPrintingFlags().skipRegions());
}

ThreadSimulator::PerThread &ThreadSimulator::define(Value value,
                                                    int64_t count) {
  PerThread &all = values[value];
  all.resize(threads);
  // Threads that take no part keep what they have (loop-carried values).
  for (Elements &elements : all)
    elements.resize(count);
  return all;
}

ThreadSimulator::PerThread &ThreadSimulator::get(Value value) {
  return values[value];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t ThreadSimulator::getAddress(Operation &op, const MemRefValue &memref,
                                    ValueRange indices, Type elementType,
                                    int thread) {
  int64_t linear = 0;
  for (auto [i, index] : llvm::enumerate(indices)) {
    int64_t position = get(index)[thread][0].i;
    if (position < 0 || position >= memref.sizes[i])
      fail(op, "thread " + Twine(thread) + " is out of bounds in dimension " +
                   Twine(i));
    linear = linear * memref.sizes[i] + position;
  }
  int64_t address = memref.offset + linear * bytesOf(elementType);
  if (auto alignment = op.getAttrOfType<IntegerAttr>("alignment"))
    if (address % alignment.getInt())
      fail(op, "thread " + Twine(thread) + " is misaligned");
  return address;
}

ThreadSimulator::Elements ThreadSimulator::load(const MemRefValue &memref,
                                                int64_t address,
                                                Type elementType, int64_t count,
                                                int thread) {
  Elements result;
  Memory &memory = *memref.memory;
  int64_t size = bytesOf(elementType);
  if (address < 0 || address + count * size > int64_t(memory.bytes.size())) {
    if (error.empty())
      error = "load out of the buffer";
    return Elements(count);
  }
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    for (int64_t byte = 0; byte < size; ++byte) {
      int64_t at = address + i * size + byte;
      bits |= uint64_t(memory.bytes[at]) << (8 * byte);
      if (!memory.shared)
        continue;
      Memory::Trace &trace = memory.trace[at];
      if (trace.inFlight && error.empty())
        error = "race: a read of what a copy has not brought yet";
      if (trace.writeEpoch == epoch && trace.writer != thread && error.empty())
        error = "race: a read of what another thread wrote since the barrier";
      if (trace.readEpoch == epoch && trace.reader != thread)
        trace.manyReaders = true;
      if (trace.readEpoch != epoch)
        trace.manyReaders = false;
      trace.readEpoch = epoch;
      trace.reader = thread;
    }
    result.push_back(decode(elementType, bits));
  }
  return result;
}

void ThreadSimulator::store(const MemRefValue &memref, int64_t address,
                            Type elementType, ArrayRef<Cell> cells,
                            int thread) {
  Memory &memory = *memref.memory;
  int64_t size = bytesOf(elementType);
  if (address < 0 ||
      address + int64_t(cells.size()) * size > int64_t(memory.bytes.size())) {
    if (error.empty())
      error = "store out of the buffer";
    return;
  }
  for (auto [i, cell] : llvm::enumerate(cells)) {
    uint64_t bits = encode(elementType, cell);
    for (int64_t byte = 0; byte < size; ++byte) {
      int64_t at = address + i * size + byte;
      uint8_t value = bits >> (8 * byte);
      if (memory.shared) {
        Memory::Trace &trace = memory.trace[at];
        if (trace.inFlight && error.empty())
          error = "race: a write to where a copy is on its way";
        bool others = trace.readEpoch == epoch &&
                      (trace.manyReaders || trace.reader != thread);
        bool differs = trace.writeEpoch == epoch && trace.writer != thread &&
                       memory.bytes[at] != value;
        if ((others || differs) && error.empty())
          error = others ? "race: a write to what another thread read since "
                           "the barrier"
                         : "race: two threads write different values";
        trace.writeEpoch = epoch;
        trace.writer = thread;
      }
      memory.bytes[at] = value;
    }
  }
}

bool ThreadSimulator::runMemoryOp(Operation &op, const Mask &active) {
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    const MemRefValue &source = memrefs[view.getSource()];
    memrefs[view] = {source.memory,
                     source.offset + get(view.getByteShift())[0][0].i,
                     SmallVector<int64_t>(view.getType().getShape())};
    return true;
  }
  if (auto flat = dyn_cast<memref::CollapseShapeOp>(op)) {
    const MemRefValue &source = memrefs[flat.getSrc()];
    int64_t size = 1;
    for (int64_t length : source.sizes)
      size *= length;
    memrefs[flat] = {source.memory, source.offset, {size}};
    return true;
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    PerThread &result = define(dim, 1);
    for (int t = 0; t < threads; ++t)
      result[t][0].i =
          memrefs[dim.getSource()].sizes[get(dim.getIndex())[t][0].i];
    return true;
  }
  auto access = [&](Value base, ValueRange indices, Value stored) {
    const MemRefValue &memref = memrefs[base];
    Type elementType = cast<MemRefType>(base.getType()).getElementType();
    int64_t count =
        stored ? countOf(stored.getType()) : countOf(op.getResult(0).getType());
    if (!stored)
      define(op.getResult(0), count);
    for (int t = 0; t < threads; ++t) {
      if (!active[t])
        continue;
      int64_t address = getAddress(op, memref, indices, elementType, t);
      // All elements must lie in the row, not just in the buffer.
      if (!indices.empty() && get(indices.back())[t][0].i + count >
                                  memref.sizes[indices.size() - 1])
        fail(op, "an access leaves its row");
      if (stored)
        store(memref, address, elementType, get(stored)[t], t);
      else
        get(op.getResult(0))[t] = load(memref, address, elementType, count, t);
    }
    return true;
  };
  if (auto o = dyn_cast<vector::LoadOp>(op))
    return access(o.getBase(), o.getIndices(), Value());
  if (auto o = dyn_cast<vector::StoreOp>(op))
    return access(o.getBase(), o.getIndices(), o.getValueToStore());
  if (auto o = dyn_cast<memref::LoadOp>(op))
    return access(o.getMemRef(), o.getIndices(), Value());
  if (auto o = dyn_cast<memref::StoreOp>(op))
    return access(o.getMemRef(), o.getIndices(), o.getValueToStore());
  return false;
}

//===----------------------------------------------------------------------===//
// Vectors of registers
//===----------------------------------------------------------------------===//

bool ThreadSimulator::runVectorOp(Operation &op, const Mask &active) {
  auto forThreads = [&](Value result, auto element) {
    PerThread &all = define(result, countOf(result.getType()));
    for (int t = 0; t < threads; ++t)
      if (active[t])
        for (auto [i, cell] : llvm::enumerate(all[t]))
          cell = element(t, i);
    return true;
  };
  if (auto o = dyn_cast<vector::ShuffleOp>(op)) {
    int64_t first = countOf(o.getV1().getType());
    return forThreads(o, [&](int t, int64_t i) {
      int64_t from = o.getMask()[i];
      return from < first ? get(o.getV1())[t][from]
                          : get(o.getV2())[t][from - first];
    });
  }
  if (auto o = dyn_cast<vector::ExtractOp>(op)) {
    if (o.hasDynamicPosition())
      return false;
    // Also a row of a two-dimensional vector.
    ArrayRef<int64_t> shape = o.getSourceVectorType().getShape();
    int64_t size = countOf(o.getSourceVectorType()), start = 0;
    for (auto [position, extent] :
         llvm::zip_first(o.getStaticPosition(), shape)) {
      size /= extent;
      start += position * size;
    }
    return forThreads(o.getResult(), [&](int t, int64_t i) {
      return get(o.getSource())[t][start + i];
    });
  }
  if (auto o = dyn_cast<vector::ShapeCastOp>(op))
    return forThreads(o.getResult(), [&](int t, int64_t i) {
      return get(o.getSource())[t][i];
    });
  if (auto o = dyn_cast<vector::FromElementsOp>(op))
    return forThreads(
        o, [&](int t, int64_t i) { return get(o.getElements()[i])[t][0]; });
  if (auto o = dyn_cast<vector::BroadcastOp>(op)) {
    if (countOf(o.getSourceType()) != 1)
      return false;
    return forThreads(
        o, [&](int t, int64_t i) { return get(o.getSource())[t][0]; });
  }
  if (auto o = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    int64_t start = cast<IntegerAttr>(o.getOffsets()[0]).getInt();
    return forThreads(
        o, [&](int t, int64_t i) { return get(o.getSource())[t][start + i]; });
  }
  // Hides a value from LLVM.
  if (auto o = dyn_cast<LLVM::InlineAsmOp>(op))
    return forThreads(o.getRes(), [&](int t, int64_t i) {
      return get(o.getOperands().front())[t][i];
    });
  if (auto o = dyn_cast<LLVM::ExtractValueOp>(op))
    return forThreads(o, [&](int t, int64_t i) {
      return get(o.getContainer())[t][o.getPosition()[0]];
    });
  if (auto o = dyn_cast<vector::BitCastOp>(op)) {
    Type from = o.getSourceVectorType().getElementType();
    Type to = o.getResultVectorType().getElementType();
    unsigned fromBits = from.getIntOrFloatBitWidth(),
             ratio = to.getIntOrFloatBitWidth() / fromBits;
    if (!ratio)
      return false;
    return forThreads(o, [&](int t, int64_t i) {
      uint64_t bits = 0;
      for (unsigned part = 0; part < ratio; ++part)
        bits |= encode(from, get(o.getSource())[t][i * ratio + part])
                << (part * fromBits);
      return decode(to, bits);
    });
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

/// The two 16-bit numbers in a register of a fragment.
static void unpackPair(Type type, ArrayRef<Cell> reg, Type bf16, double *pair) {
  if (isa<VectorType>(type)) {
    pair[0] = reg[0].f;
    pair[1] = reg[1].f;
    return;
  }
  pair[0] = decode(bf16, reg[0].i & 0xffff).f;
  pair[1] = decode(bf16, (reg[0].i >> 16) & 0xffff).f;
}

/// m16n8k16 by the formulas of the PTX ISA.
void ThreadSimulator::runMma(Operation &op) {
  auto mma = cast<NVVM::MmaOp>(op);
  Type bf16 = BFloat16Type::get(op.getContext());
  PerThread &result = define(mma.getRes(), 4);
  for (int warp = 0; warp < threads / 32; ++warp) {
    double a[16][16], b[16][8];
    for (int lane = 0; lane < 32; ++lane) {
      int t = warp * 32 + lane, group = lane / 4, quad = lane % 4;
      double pair[2];
      for (auto [i, reg] : llvm::enumerate(mma.getOperandA())) {
        unpackPair(reg.getType(), get(reg)[t], bf16, pair);
        for (int j : {0, 1})
          a[group + 8 * (i % 2)][quad * 2 + j + 8 * (i / 2)] = pair[j];
      }
      for (auto [i, reg] : llvm::enumerate(mma.getOperandB())) {
        unpackPair(reg.getType(), get(reg)[t], bf16, pair);
        for (int j : {0, 1})
          b[quad * 2 + j + 8 * i][group] = pair[j];
      }
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int t = warp * 32 + lane, row = lane / 4 + 8 * (i / 2),
            col = (lane % 4) * 2 + i % 2;
        double sum = get(mma.getOperandC()[i])[t][0].f;
        for (int k = 0; k < 16; ++k)
          sum += a[row][k] * b[k][col];
        result[t][i].f = float(sum);
      }
  }
}

/// Lane 8 i + r names row r of matrix i: 8 elements. Lane l gets from each
/// matrix its elements 2 (l % 4) and the next of row l / 4, or of that column.
void ThreadSimulator::runLdMatrix(Operation &op) {
  auto ldMatrix = cast<nvgpu::LdMatrixOp>(op);
  const MemRefValue &memref = memrefs[ldMatrix.getSrcMemref()];
  Type type = cast<VectorType>(ldMatrix.getRes().getType()).getElementType();
  int64_t count = ldMatrix.getNumTiles();
  PerThread &result = define(ldMatrix.getRes(), 2 * count);
  for (int warp = 0; warp < threads / 32; ++warp)
    for (int64_t matrix = 0; matrix < count; ++matrix) {
      Elements rows[8];
      for (int row = 0; row < 8; ++row) {
        int t = warp * 32 + matrix * 8 + row;
        int64_t address =
            getAddress(op, memref, ldMatrix.getIndices(), type, t);
        if (address % 16)
          fail(op, "a misaligned row");
        rows[row] = load(memref, address, type, 8, t);
      }
      for (int lane = 0; lane < 32; ++lane)
        for (int j : {0, 1}) {
          int along = (lane % 4) * 2 + j, across = lane / 4;
          result[warp * 32 + lane][matrix * 2 + j] = ldMatrix.getTranspose()
                                                         ? rows[along][across]
                                                         : rows[across][along];
        }
    }
}

/// Zeros behind the elements that are read. All threads go one way here, so
/// that their groups are the same.
void ThreadSimulator::startCopies(Operation &op, const Mask &active) {
  auto copy = cast<nvgpu::DeviceAsyncCopyOp>(op);
  Type type = cast<MemRefType>(copy.getDst().getType()).getElementType();
  int64_t count = copy.getDstElements().getZExtValue(),
          bytes = count * bytesOf(type);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    fail(op, "a copy of " + Twine(bytes) + " bytes");
  if (copy.getBypassL1() && bytes != 16)
    fail(op, "a copy past the cache of " + Twine(bytes) + " bytes");
  for (int t = 0; t < threads; ++t) {
    if (!active[t] || !error.empty())
      continue;
    MemRefValue &to = memrefs[copy.getDst()];
    Copy started{
        to, getAddress(op, to, copy.getDstIndices(), type, t), type, {}, t};
    int64_t read =
        copy.getSrcElements() ? get(copy.getSrcElements())[t][0].i : count;
    if (read) {
      MemRefValue &from = memrefs[copy.getSrc()];
      int64_t address = getAddress(op, from, copy.getSrcIndices(), type, t);
      if (address % bytes)
        fail(op, "a misaligned source");
      started.cells = load(from, address, type, read, t);
    }
    Cell zero;
    zero.i = 0;
    if (isa<FloatType>(type))
      zero.f = 0;
    started.cells.resize(count, zero);
    if (started.address % bytes)
      fail(op, "a misaligned destination");
    if (started.address < 0 ||
        started.address + bytes > int64_t(to.memory->bytes.size()))
      return fail(op, "a copy out of the buffer");
    for (int64_t at = started.address; at < started.address + bytes; ++at) {
      Memory::Trace &trace = to.memory->trace[at];
      if (trace.inFlight || trace.readEpoch == epoch ||
          trace.writeEpoch == epoch)
        fail(op, "race: a copy to what was accessed since the barrier");
      trace.inFlight = true;
    }
    openCopies.push_back(std::move(started));
  }
}

/// All but the youngest `groups` groups arrive.
void ThreadSimulator::completeCopies(size_t groups) {
  while (copyGroups.size() > groups) {
    for (Copy &copy : copyGroups.front()) {
      int64_t bytes = copy.cells.size() * bytesOf(copy.elementType);
      for (int64_t at = copy.address; at < copy.address + bytes; ++at)
        copy.to.memory->trace[at].inFlight = false;
      store(copy.to, copy.address, copy.elementType, copy.cells, copy.thread);
    }
    copyGroups.erase(copyGroups.begin());
  }
}

bool ThreadSimulator::runGPUOp(Operation &op, const Mask &active) {
  auto fill = [&](Value result, auto number) {
    PerThread &all = define(result, 1);
    for (int t = 0; t < threads; ++t)
      all[t][0].i = number(t);
    return true;
  };
  bool everyone = llvm::all_of(active, [](bool on) { return on; });
  if (auto o = dyn_cast<gpu::ThreadIdOp>(op))
    return fill(o, [&](int t) {
      return o.getDimension() == gpu::Dimension::x ? t : 0;
    });
  if (auto o = dyn_cast<gpu::BlockIdOp>(op))
    return fill(o, [&](int) {
      return blockIds[static_cast<unsigned>(o.getDimension())];
    });
  if (isa<gpu::BarrierOp>(op)) {
    if (!everyone)
      fail(op, "a barrier that some threads do not reach");
    ++epoch;
    return true;
  }
  if (auto o = dyn_cast<gpu::ShuffleOp>(op)) {
    if (!everyone || o.getMode() != gpu::ShuffleMode::XOR)
      fail(op, "expected an xor shuffle of all threads");
    PerThread &result = define(o.getShuffleResult(), 1);
    for (int t = 0; t < threads; ++t)
      result[t][0] = get(o.getValue())[t ^ get(o.getOffset())[t][0].i][0];
    return true;
  }
  if (isa<nvgpu::DeviceAsyncCopyOp>(op)) {
    startCopies(op, active);
    return true;
  }
  if (isa<NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp>(op)) {
    if (!everyone)
      fail(op, "expected groups of all threads");
    if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op))
      completeCopies(wait.getN());
    else
      copyGroups.push_back(std::exchange(openCopies, {}));
    return true;
  }
  if (isa<nvgpu::LdMatrixOp>(op)) {
    if (!everyone)
      fail(op, "expected an ldmatrix of all threads");
    runLdMatrix(op);
    return true;
  }
  if (isa<NVVM::MmaOp>(op)) {
    if (!everyone)
      fail(op, "expected an mma of all threads");
    runMma(op);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void ThreadSimulator::runFor(Operation &op, const Mask &active) {
  auto loop = cast<scf::ForOp>(op);
  int first = llvm::find(active, true) - active.begin();
  if (first == threads)
    return;
  auto bound = [&](Value value) {
    int64_t number = get(value)[first][0].i;
    for (int t = 0; t < threads; ++t)
      if (active[t] && get(value)[t][0].i != number)
        fail(op, "threads disagree on a loop's bounds");
    return number;
  };
  auto assign = [&](Value to, Value from) {
    PerThread source = get(from);
    define(to, countOf(to.getType())) = std::move(source);
  };
  int64_t lower = bound(loop.getLowerBound()),
          upper = bound(loop.getUpperBound()), step = bound(loop.getStep());
  for (auto [arg, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    assign(arg, init);
  for (int64_t i = lower; i < upper && error.empty(); i += step) {
    for (Elements &elements : define(loop.getInductionVar(), 1))
      elements[0].i = i;
    runBlock(*loop.getBody(), active);
    SmallVector<PerThread> next;
    for (Value value : loop.getYieldedValues())
      next.push_back(get(value));
    for (auto [arg, value] : llvm::zip_equal(loop.getRegionIterArgs(), next))
      values[arg] = std::move(value);
  }
  for (auto [result, arg] :
       llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
    assign(result, arg);
}

void ThreadSimulator::runIf(Operation &op, const Mask &active) {
  auto branch = cast<scf::IfOp>(op);
  Mask taken[2] = {active, active};
  for (int t = 0; t < threads; ++t) {
    bool condition = active[t] && (get(branch.getCondition())[t][0].i & 1);
    taken[0][t] = active[t] && condition;
    taken[1][t] = active[t] && !condition;
  }
  Block *blocks[2] = {branch.thenBlock(), branch.elseBlock()};
  for (int side : {0, 1}) {
    if (!blocks[side] || llvm::find(taken[side], true) == taken[side].end())
      continue;
    runBlock(*blocks[side], taken[side]);
    Operation *yield = blocks[side]->getTerminator();
    for (auto [result, value] :
         llvm::zip_equal(branch.getResults(), yield->getOperands())) {
      PerThread source = get(value);
      PerThread &all = define(result, countOf(result.getType()));
      for (int t = 0; t < threads; ++t)
        if (taken[side][t])
          all[t] = source[t];
    }
  }
}

void ThreadSimulator::runOp(Operation &op, const Mask &active) {
  if (isa<scf::ForOp>(op))
    return runFor(op, active);
  if (isa<scf::IfOp>(op))
    return runIf(op, active);
  if (isa<scf::YieldOp, gpu::ReturnOp>(op))
    return;
  if (!runMemoryOp(op, active) && !runVectorOp(op, active) &&
      !runGPUOp(op, active) && !runElementwise(op, active))
    fail(op, "no simulation of this op");
}

void ThreadSimulator::runBlock(Block &block, const Mask &active) {
  for (Operation &op : block) {
    if (!error.empty())
      return;
    runOp(op, active);
  }
}

std::string ThreadSimulator::run(ArrayRef<int64_t> grid,
                                 MutableArrayRef<Argument> arguments) {
  std::vector<Memory> memories(arguments.size());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    BlockArgument value = func.getArgument(i);
    Type type = cast<MemRefType>(value.getType()).getElementType();
    for (double number : argument.values) {
      Cell cell;
      cell.f = number;
      uint64_t bits = encode(type, cell);
      for (int64_t byte = 0; byte < bytesOf(type); ++byte)
        memories[i].bytes.push_back(bits >> (8 * byte));
    }
    memrefs[value] = {
        &memories[i], 0,
        SmallVector<int64_t>(argument.shape.begin(), argument.shape.end())};
  }
  for (int64_t b = 0; b < grid[0] * grid[1]; ++b) {
    blockIds[0] = b % grid[0];
    blockIds[1] = b / grid[0];
    std::vector<Memory> shared(func.getNumWorkgroupAttributions());
    for (auto [memory, value] :
         llvm::zip_equal(shared, func.getWorkgroupAttributions())) {
      auto type = cast<MemRefType>(value.getType());
      // Stale values are NaN or huge in every type.
      memory.bytes.assign(type.getNumElements(), 0xff);
      memory.trace.resize(type.getNumElements());
      memory.shared = true;
      memrefs[value] = {&memory, 0, SmallVector<int64_t>(type.getShape())};
    }
    openCopies.clear();
    copyGroups.clear();
    runBlock(func.getBody().front(), Mask(threads, true));
    if (!error.empty())
      return error;
  }
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Type type =
        cast<MemRefType>(func.getArgument(i).getType()).getElementType();
    for (size_t at = 0; at < argument.values.size(); ++at)
      argument.values[at] =
          load(memrefs[func.getArgument(i)], at * bytesOf(type), type, 1, 0)[0]
              .f;
  }
  return error;
}
