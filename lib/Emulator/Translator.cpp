//===- Translator.cpp - From LLVM dialect to instructions -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots, blocks and branches; types and their numbers.
//
//===----------------------------------------------------------------------===//

#include "Translator.h"
#include "Cleave/Runtime/HostArray.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::emulator;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) {
  return isa<LLVM::LLVMPointerType, Float16Type, BFloat16Type, Float32Type,
             Float64Type>(type) ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64);
}

SmallVector<Type> emulator::getElements(Type type) {
  SmallVector<Type> elements;
  auto append = [&](Type part, int64_t times) {
    SmallVector<Type> inner = getElements(part);
    for (int64_t i = 0; i < times; ++i)
      llvm::append_range(elements, inner);
  };
  if (isScalar(type))
    elements.push_back(type);
  else if (auto vector = dyn_cast<VectorType>(type))
    append(vector.getElementType(), vector.getNumElements());
  else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    append(array.getElementType(), array.getNumElements());
  else if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    for (Type part : structure.getBody())
      append(part, 1);
  return elements;
}

unsigned emulator::getBits(Type scalar) {
  return isa<LLVM::LLVMPointerType>(scalar) ? 64
                                            : scalar.getIntOrFloatBitWidth();
}

unsigned emulator::getBytes(Type scalar) {
  return llvm::divideCeil(getBits(scalar), 8);
}

int64_t emulator::signExtend(Word word, unsigned bits) {
  return llvm::SignExtend64(word, bits);
}

Word emulator::truncate(Word word, unsigned bits) {
  return word & llvm::maskTrailingOnes<Word>(bits);
}

Decode emulator::getDecode(Type type) {
  if (type.isF16())
    return [](Word word) { return decodeF16(static_cast<uint16_t>(word)); };
  if (type.isBF16())
    return [](Word word) { return decodeBF16(static_cast<uint16_t>(word)); };
  if (type.isF32())
    return [](Word word) -> double {
      return llvm::bit_cast<float>(static_cast<uint32_t>(word));
    };
  return [](Word word) { return llvm::bit_cast<double>(word); };
}

Encode emulator::getEncode(Type type) {
  if (type.isF16())
    return [](double value) -> Word { return encodeF16(value); };
  if (type.isBF16())
    return [](double value) -> Word { return encodeBF16(value); };
  if (type.isF32())
    return [](double value) -> Word {
      return llvm::bit_cast<uint32_t>(static_cast<float>(value));
    };
  return [](double value) { return llvm::bit_cast<Word>(value); };
}

//===----------------------------------------------------------------------===//
// Slots and instructions
//===----------------------------------------------------------------------===//

unsigned Translator::slotOf(Value value) {
  auto [it, isNew] = slots.try_emplace(value, kernel.frame.size());
  if (isNew)
    kernel.frame.resize(kernel.frame.size() + count(value), ~Word(0));
  return it->second;
}

void Translator::setConstant(Value value, ArrayRef<Word> words) {
  unsigned slot = slotOf(value);
  llvm::copy(words, kernel.frame.begin() + slot);
}

Instruction &Translator::add(Operation *op, Instruction::Kind kind) {
  Instruction &instruction = kernel.code.emplace_back();
  instruction.kind = kind;
  instruction.op = op;
  return instruction;
}

void Translator::compute(Operation *op,
                         std::function<void(Thread &, ThreadBlock &)> run) {
  add(op, Instruction::Kind::Compute).run = std::move(run);
}

void Translator::collective(
    Operation *op,
    std::function<void(MutableArrayRef<Thread>, ThreadBlock &)> run) {
  add(op, Instruction::Kind::Collective).runTogether = std::move(run);
}

void Translator::copyWords(Operation *op, unsigned from, unsigned to,
                           unsigned words) {
  compute(op, [=](Thread &thread, ThreadBlock &) {
    std::copy_n(thread.frame.begin() + from, words, thread.frame.begin() + to);
  });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Moves operands to block arguments all at once, then jumps.
std::function<void(Thread &)> Translator::makeJump(mlir::Block *to,
                                                   ValueRange operands) {
  struct Move {
    unsigned from, to, words;
  };
  std::vector<Move> moves;
  unsigned total = 0;
  for (auto [argument, operand] : llvm::zip_equal(to->getArguments(), operands))
    if (unsigned words = count(operand)) {
      moves.push_back({slotOf(operand), slotOf(argument), words});
      total += words;
    }
  std::shared_ptr<size_t> start = starts.at(to);
  return [=](Thread &thread) {
    thread_local std::vector<Word> saved;
    saved.resize(total);
    auto position = saved.begin();
    for (const Move &move : moves)
      position =
          std::copy_n(thread.frame.begin() + move.from, move.words, position);
    position = saved.begin();
    for (const Move &move : moves) {
      std::copy_n(position, move.words, thread.frame.begin() + move.to);
      position += move.words;
    }
    thread.next = *start;
  };
}

bool Translator::translateControl(Operation *op) {
  if (isa<LLVM::ReturnOp>(op)) {
    add(op, Instruction::Kind::Return);
    return true;
  }
  if (auto branch = dyn_cast<LLVM::BrOp>(op)) {
    auto jump = makeJump(branch.getDest(), branch.getDestOperands());
    add(op, Instruction::Kind::Branch).run =
        [=](Thread &thread, ThreadBlock &) { jump(thread); };
    return true;
  }
  auto branch = dyn_cast<LLVM::CondBrOp>(op);
  if (!branch)
    return false;
  bool always = options.drop == EmulatorOptions::Drop::Branch &&
                options.number == counts.branches;
  ++counts.branches;
  auto onTrue = makeJump(branch.getTrueDest(), branch.getTrueDestOperands());
  auto onFalse = makeJump(branch.getFalseDest(), branch.getFalseDestOperands());
  unsigned condition = slotOf(branch.getCondition());
  add(op, Instruction::Kind::Branch).run = [=](Thread &thread, ThreadBlock &) {
    always || thread.frame[condition] ? onTrue(thread) : onFalse(thread);
  };
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Those of a fixed size one after the other, dynamic ones behind.
void Translator::placeGlobals() {
  constexpr unsigned kSharedSpace = 3, kAlignment = 1024;
  int64_t size = 0;
  for (auto global : module.getBodyRegion().getOps<LLVM::GlobalOp>()) {
    if (global.getAddrSpace() != kSharedSpace)
      continue;
    size = llvm::alignTo(size, kAlignment);
    globals[global.getSymName().str()] = size;
    for (Type element : getElements(global.getGlobalType()))
      size += getBytes(element);
  }
  kernel.sharedBytes = llvm::alignTo(size, kAlignment);
  for (auto global : module.getBodyRegion().getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() == kSharedSpace &&
        getElements(global.getGlobalType()).empty())
      globals[global.getSymName().str()] = kernel.sharedBytes;
}

LogicalResult Translator::translate(Operation *op) {
  for (Value result : op->getResults())
    if (getElements(result.getType()).empty())
      return op->emitOpError("has a type that the emulator does not know: ")
             << result.getType();
  if (translateConstant(op) || translateInteger(op) || translateReal(op) ||
      translateCast(op) || translateCompare(op) || translateAggregate(op) ||
      translateIntrinsicCall(op) || translateLibraryCall(op) ||
      translateControl(op) || translateMemory(op) || translateAtomic(op) ||
      translateId(op) || translateCopy(op) || translateVote(op) ||
      translateWarp(op))
    return success();
  if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
    return op->emitOpError("of '")
           << *call.getCallee() << "' is not known to the emulator";
  return op->emitOpError("is not known to the emulator");
}

FailureOr<Kernel> Translator::translate(LLVM::LLVMFuncOp func) {
  kernel.name = func.getName().str();
  placeGlobals();
  for (Value argument : func.getArguments())
    kernel.arguments.push_back(slotOf(argument));
  for (Block &block : func.getBody())
    starts[&block] = std::make_shared<size_t>(0);
  for (Block &block : func.getBody()) {
    *starts[&block] = kernel.code.size();
    for (Operation &op : block)
      if (failed(translate(&op)))
        return failure();
  }
  return std::move(kernel);
}

FailureOr<std::vector<Kernel>>
emulator::translateKernels(gpu::GPUModuleOp module,
                           const EmulatorOptions &options,
                           EmulatedCounts &counts) {
  std::vector<Kernel> kernels;
  for (auto func : module.getBodyRegion().getOps<LLVM::LLVMFuncOp>()) {
    if (func.isExternal())
      continue;
    FailureOr<Kernel> kernel =
        Translator(module, options, counts).translate(func);
    if (failed(kernel))
      return failure();
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}
