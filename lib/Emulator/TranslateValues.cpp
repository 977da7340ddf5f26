//===- TranslateValues.cpp - What a thread computes alone -----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Translator.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::emulator;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

void Translator::integer(Operation *op, Integer function) {
  unsigned lhs = slotOf(op->getOperand(0)), rhs = slotOf(op->getOperand(1));
  unsigned to = slotOf(op->getResult(0)), words = count(op->getResult(0));
  unsigned bits = getBits(getElements(op->getOperand(0).getType()).front());
  compute(op, [=](Thread &thread, ThreadBlock &) {
    for (unsigned i = 0; i < words; ++i)
      thread.frame[to + i] = truncate(
          function(thread.frame[lhs + i], thread.frame[rhs + i], bits), bits);
  });
}

void Translator::real(Operation *op, Real function) {
  unsigned lhs = slotOf(op->getOperand(0));
  unsigned rhs = op->getNumOperands() > 1 ? slotOf(op->getOperand(1)) : lhs;
  unsigned to = slotOf(op->getResult(0)), words = count(op->getResult(0));
  Type type = getElements(op->getResult(0).getType()).front();
  Decode decode = getDecode(type);
  Encode encode = getEncode(type);
  compute(op, [=](Thread &thread, ThreadBlock &) {
    for (unsigned i = 0; i < words; ++i)
      thread.frame[to + i] = encode(function(decode(thread.frame[lhs + i]),
                                             decode(thread.frame[rhs + i])));
  });
}

void Translator::mapWords(Operation *op, std::function<Word(Word)> function) {
  unsigned from = slotOf(op->getOperand(0)), to = slotOf(op->getResult(0));
  unsigned words = count(op->getResult(0));
  compute(op, [=](Thread &thread, ThreadBlock &) {
    for (unsigned i = 0; i < words; ++i)
      thread.frame[to + i] = function(thread.frame[from + i]);
  });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Word getWord(Attribute attr) {
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(attr).getValue().getZExtValue();
}

bool Translator::translateConstant(Operation *op) {
  if (isa<LLVM::UndefOp, LLVM::PoisonOp>(op)) {
    SmallVector<Word> words; // NaN where it is a float
    for (Type type : getElements(op->getResult(0).getType()))
      words.push_back(truncate(~Word(0), getBits(type)));
    setConstant(op->getResult(0), words);
    return true;
  }
  if (isa<LLVM::ZeroOp>(op)) {
    setConstant(op->getResult(0),
                SmallVector<Word>(count(op->getResult(0)), 0));
    return true;
  }
  auto constant = dyn_cast<LLVM::ConstantOp>(op);
  if (!constant)
    return false;
  Attribute value = constant.getValue();
  if (isa<FloatAttr, IntegerAttr>(value)) {
    setConstant(constant, getWord(value));
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return false;
  setConstant(constant,
              llvm::map_to_vector(dense.getValues<Attribute>(), getWord));
  return true;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

bool Translator::translateInteger(Operation *op) {
  using Function = Word (*)(Word, Word, unsigned);
  // What a device gives for a division by zero.
  auto divide = [](Word a, Word b, unsigned) { return b ? a / b : ~Word(0); };
  Function function =
      llvm::TypeSwitch<Operation *, Function>(op)
          .Case([](LLVM::AddOp) {
            return [](Word a, Word b, unsigned) { return a + b; };
          })
          .Case([](LLVM::SubOp) {
            return [](Word a, Word b, unsigned) { return a - b; };
          })
          .Case([](LLVM::MulOp) {
            return [](Word a, Word b, unsigned) { return a * b; };
          })
          .Case([&](LLVM::UDivOp) { return divide; })
          .Case([](LLVM::URemOp) {
            return [](Word a, Word b, unsigned) { return b ? a % b : a; };
          })
          .Case([](LLVM::SDivOp) {
            return [](Word a, Word b, unsigned n) {
              return b ? Word(signExtend(a, n) / signExtend(b, n)) : ~Word(0);
            };
          })
          .Case([](LLVM::SRemOp) {
            return [](Word a, Word b, unsigned n) {
              return b ? Word(signExtend(a, n) % signExtend(b, n)) : a;
            };
          })
          .Case([](LLVM::AndOp) {
            return [](Word a, Word b, unsigned) { return a & b; };
          })
          .Case([](LLVM::OrOp) {
            return [](Word a, Word b, unsigned) { return a | b; };
          })
          .Case([](LLVM::XOrOp) {
            return [](Word a, Word b, unsigned) { return a ^ b; };
          })
          .Case([](LLVM::ShlOp) {
            return [](Word a, Word b, unsigned n) {
              return b < n ? a << b : Word(0);
            };
          })
          .Case([](LLVM::LShrOp) {
            return [](Word a, Word b, unsigned n) {
              return b < n ? a >> b : Word(0);
            };
          })
          .Case([](LLVM::AShrOp) {
            return [](Word a, Word b, unsigned n) {
              return Word(signExtend(a, n) >> std::min<Word>(b, n - 1));
            };
          })
          .Case([](LLVM::SMinOp) {
            return [](Word a, Word b, unsigned n) {
              return signExtend(a, n) < signExtend(b, n) ? a : b;
            };
          })
          .Case([](LLVM::SMaxOp) {
            return [](Word a, Word b, unsigned n) {
              return signExtend(a, n) > signExtend(b, n) ? a : b;
            };
          })
          .Case([](LLVM::UMinOp) {
            return [](Word a, Word b, unsigned) { return std::min(a, b); };
          })
          .Case([](LLVM::UMaxOp) {
            return [](Word a, Word b, unsigned) { return std::max(a, b); };
          })
          .Default([](Operation *) -> Function { return nullptr; });
  if (!function)
    return false;
  integer(op, function);
  return true;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// IEEE maximum and minimum: NaN wins, and -0 is below 0.
static double getExtreme(double a, double b, bool max) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) == max ? b : a;
  return (a > b) == max ? a : b;
}

bool Translator::translateReal(Operation *op) {
  using Function = double (*)(double, double);
  Function function =
      llvm::TypeSwitch<Operation *, Function>(op)
          .Case([](LLVM::FAddOp) {
            return [](double a, double b) { return a + b; };
          })
          .Case([](LLVM::FSubOp) {
            return [](double a, double b) { return a - b; };
          })
          .Case([](LLVM::FMulOp) {
            return [](double a, double b) { return a * b; };
          })
          .Case([](LLVM::FDivOp) {
            return [](double a, double b) { return a / b; };
          })
          .Case(
              [](LLVM::FNegOp) { return [](double a, double) { return -a; }; })
          .Case([](LLVM::FAbsOp) {
            return [](double a, double) { return std::fabs(a); };
          })
          .Case([](LLVM::SqrtOp) {
            return [](double a, double) { return std::sqrt(a); };
          })
          .Case([](LLVM::MaximumOp) {
            return [](double a, double b) { return getExtreme(a, b, true); };
          })
          .Case([](LLVM::MinimumOp) {
            return [](double a, double b) { return getExtreme(a, b, false); };
          })
          .Case([](LLVM::MaxNumOp) {
            return [](double a, double b) { return std::fmax(a, b); };
          })
          .Case([](LLVM::MinNumOp) {
            return [](double a, double b) { return std::fmin(a, b); };
          })
          .Default([](Operation *) -> Function { return nullptr; });
  if (function) {
    real(op, function);
    return true;
  }
  if (!isa<LLVM::FMAOp, LLVM::FMulAddOp>(op))
    return false;
  unsigned a = slotOf(op->getOperand(0)), b = slotOf(op->getOperand(1));
  unsigned c = slotOf(op->getOperand(2)), to = slotOf(op->getResult(0));
  unsigned words = count(op->getResult(0));
  Type type = getElements(op->getResult(0).getType()).front();
  Decode decode = getDecode(type);
  Encode encode = getEncode(type);
  compute(op, [=](Thread &thread, ThreadBlock &) {
    auto &f = thread.frame;
    for (unsigned i = 0; i < words; ++i)
      f[to + i] = encode(
          std::fma(decode(f[a + i]), decode(f[b + i]), decode(f[c + i])));
  });
  return true;
}

/// The device's approximations are better than what tests compare with.
bool Translator::translateIntrinsicCall(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  if (!call || call->getNumResults() != 1)
    return false;
  using Function = double (*)(double, double);
  auto exp2 = [](double a, double) { return std::exp2(a); };
  auto log2 = [](double a, double) { return std::log2(a); };
  auto fma = [](double, double) { return 0.0; };
  Function function =
      llvm::StringSwitch<Function>(call.getIntrin())
          .Cases({"llvm.nvvm.ex2.approx.f32", "llvm.nvvm.ex2.approx.f",
                  "llvm.nvvm.ex2.approx.ftz.f32", "llvm.nvvm.ex2.approx.ftz.f"},
                 exp2)
          .Cases({"llvm.nvvm.lg2.approx.f", "llvm.nvvm.lg2.approx.ftz.f"}, log2)
          .Cases({"llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.ftz.f"},
                 [](double a, double) { return 1 / std::sqrt(a); })
          .Cases({"llvm.nvvm.rcp.approx.ftz.f", "llvm.nvvm.rcp.rn.f"},
                 [](double a, double) { return 1 / a; })
          .Cases({"llvm.nvvm.div.full", "llvm.nvvm.div.full.ftz"},
                 [](double a, double b) { return a / b; })
          .Cases({"llvm.nvvm.tanh.approx.f32", "llvm.nvvm.tanh.approx.f"},
                 [](double a, double) { return std::tanh(a); })
          .Case("llvm.sqrt.f32", [](double a, double) { return std::sqrt(a); })
          .Case("llvm.fabs.f32", [](double a, double) { return std::fabs(a); })
          .Cases({"llvm.maxnum.f32", "llvm.maxnum.f64"},
                 [](double a, double b) { return std::fmax(a, b); })
          .Cases({"llvm.minnum.f32", "llvm.minnum.f64"},
                 [](double a, double b) { return std::fmin(a, b); })
          .Case("llvm.floor.f32",
                [](double a, double) { return std::floor(a); })
          .Case("llvm.ceil.f32", [](double a, double) { return std::ceil(a); })
          .Case("llvm.copysign.f32",
                [](double a, double b) { return std::copysign(a, b); })
          .Case("llvm.fma.f32", fma)
          .Default(nullptr);
  if (!function)
    return false;
  if (call.getIntrin() != "llvm.fma.f32") {
    real(op, function);
    return true;
  }
  unsigned a = slotOf(op->getOperand(0)), b = slotOf(op->getOperand(1));
  unsigned c = slotOf(op->getOperand(2)), to = slotOf(op->getResult(0));
  Type type = op->getResult(0).getType();
  Decode decode = getDecode(type);
  Encode encode = getEncode(type);
  compute(op, [=](Thread &thread, ThreadBlock &) {
    auto &f = thread.frame;
    f[to] = encode(std::fma(decode(f[a]), decode(f[b]), decode(f[c])));
  });
  return true;
}

/// CUDA's bitcode library, which f64 and powers need: `__nv_exp`, of f32
/// `__nv_expf`.
bool Translator::translateLibraryCall(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call || !call.getCallee() || call->getNumResults() != 1)
    return false;
  StringRef name = *call.getCallee();
  if (!name.consume_front("__nv_"))
    return false;
  if (call.getResult().getType().isF32() && !name.consume_back("f"))
    return false;
  using Function = double (*)(double, double);
  Function function =
      llvm::StringSwitch<Function>(name)
          .Case("exp", [](double a, double) { return std::exp(a); })
          .Case("exp2", [](double a, double) { return std::exp2(a); })
          .Case("log", [](double a, double) { return std::log(a); })
          .Case("log2", [](double a, double) { return std::log2(a); })
          .Case("sqrt", [](double a, double) { return std::sqrt(a); })
          .Case("rsqrt", [](double a, double) { return 1 / std::sqrt(a); })
          .Case("tanh", [](double a, double) { return std::tanh(a); })
          .Case("erf", [](double a, double) { return std::erf(a); })
          .Case("fabs", [](double a, double) { return std::fabs(a); })
          .Case("floor", [](double a, double) { return std::floor(a); })
          .Case("ceil", [](double a, double) { return std::ceil(a); })
          .Case("pow", [](double a, double b) { return std::pow(a, b); })
          .Case("copysign",
                [](double a, double b) { return std::copysign(a, b); })
          .Default(nullptr);
  if (function)
    real(op, function);
  return function;
}

//===----------------------------------------------------------------------===//
// Casts and comparisons
//===----------------------------------------------------------------------===//

/// Splits or joins elements; the first one has the low bits.
static void recast(MutableArrayRef<Word> to, unsigned toBits,
                   ArrayRef<Word> from, unsigned fromBits) {
  llvm::fill(to, 0);
  for (unsigned bit = 0, end = from.size() * fromBits; bit < end;
       bit += std::min(toBits, fromBits)) {
    Word part = from[bit / fromBits] >> (bit % fromBits);
    part = truncate(part, std::min(toBits, fromBits));
    to[bit / toBits] |= part << (bit % toBits);
  }
}

bool Translator::translateCast(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  SmallVector<Type> fromTypes = getElements(op->getOperand(0).getType());
  SmallVector<Type> toTypes = getElements(op->getResult(0).getType());
  if (fromTypes.empty() || toTypes.empty())
    return false;
  Type fromType = fromTypes.front(), toType = toTypes.front();
  unsigned fromBits = getBits(fromType), toBits = getBits(toType);
  if (isa<LLVM::BitcastOp>(op)) {
    unsigned from = slotOf(op->getOperand(0)), to = slotOf(op->getResult(0));
    size_t fromCount = fromTypes.size(), toCount = toTypes.size();
    compute(op, [=](Thread &thread, ThreadBlock &) {
      MutableArrayRef<Word> frame(thread.frame);
      recast(frame.slice(to, toCount), toBits, frame.slice(from, fromCount),
             fromBits);
    });
    return true;
  }
  // What hides a value from LLVM.
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  bool isMove = assembly && assembly.getAsmString() == "mov.b32 $0, $1;";
  std::function<Word(Word)> function;
  if (isMove || isa<LLVM::TruncOp, LLVM::ZExtOp, LLVM::AddrSpaceCastOp,
                    LLVM::PtrToIntOp, LLVM::IntToPtrOp>(op)) {
    function = [=](Word word) { return truncate(word, toBits); };
  } else if (isa<LLVM::SExtOp>(op)) {
    function = [=](Word word) {
      return truncate(signExtend(word, fromBits), toBits);
    };
  } else if (isa<LLVM::FPExtOp, LLVM::FPTruncOp>(op)) {
    function = [decode = getDecode(fromType), encode = getEncode(toType)](
                   Word word) { return encode(decode(word)); };
  } else if (isa<LLVM::SIToFPOp>(op)) {
    function = [=, encode = getEncode(toType)](Word word) {
      return encode(static_cast<double>(signExtend(word, fromBits)));
    };
  } else if (isa<LLVM::UIToFPOp>(op)) {
    function = [encode = getEncode(toType)](Word word) {
      return encode(static_cast<double>(word));
    };
  } else if (isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op)) {
    function = [=, decode = getDecode(fromType)](Word word) {
      double value = decode(word);
      bool fits = value > -9.2e18 && value < 9.2e18;
      return fits ? truncate(Word(int64_t(value)), toBits) : 0;
    };
  } else {
    return false;
  }
  mapWords(op, function);
  return true;
}

static bool compareIntegers(LLVM::ICmpPredicate predicate, Word a, Word b,
                            unsigned bits) {
  int64_t sa = signExtend(a, bits), sb = signExtend(b, bits);
  switch (predicate) {
  case LLVM::ICmpPredicate::eq:
    return a == b;
  case LLVM::ICmpPredicate::ne:
    return a != b;
  case LLVM::ICmpPredicate::slt:
    return sa < sb;
  case LLVM::ICmpPredicate::sle:
    return sa <= sb;
  case LLVM::ICmpPredicate::sgt:
    return sa > sb;
  case LLVM::ICmpPredicate::sge:
    return sa >= sb;
  case LLVM::ICmpPredicate::ult:
    return a < b;
  case LLVM::ICmpPredicate::ule:
    return a <= b;
  case LLVM::ICmpPredicate::ugt:
    return a > b;
  case LLVM::ICmpPredicate::uge:
    return a >= b;
  }
  return false;
}

/// The relations for which a predicate holds: a bit each for equal, greater,
/// less and unordered. Ordered predicates are numbered that way, and unordered
/// ones follow without `uno`, which comes last but one.
static unsigned getRelations(LLVM::FCmpPredicate predicate) {
  constexpr unsigned kUnordered = 8;
  unsigned number = static_cast<unsigned>(predicate);
  if (predicate == LLVM::FCmpPredicate::uno)
    return kUnordered;
  if (number < kUnordered || predicate == LLVM::FCmpPredicate::_true)
    return number;
  return kUnordered | (number - kUnordered + 1);
}

static bool compareFloats(unsigned relations, double a, double b) {
  return relations & (a == b ? 1 : a > b ? 2 : a < b ? 4 : 8);
}

bool Translator::translateCompare(Operation *op) {
  if (auto select = dyn_cast<LLVM::SelectOp>(op)) {
    unsigned condition = slotOf(select.getCondition());
    unsigned step = count(select.getCondition()) > 1 ? 1 : 0;
    unsigned a = slotOf(select.getTrueValue());
    unsigned b = slotOf(select.getFalseValue());
    unsigned to = slotOf(select), words = count(select);
    compute(op, [=](Thread &thread, ThreadBlock &) {
      auto &f = thread.frame;
      for (unsigned i = 0; i < words; ++i)
        f[to + i] = f[condition + step * i] ? f[a + i] : f[b + i];
    });
    return true;
  }
  if (!isa<LLVM::ICmpOp, LLVM::FCmpOp>(op))
    return false;
  unsigned lhs = slotOf(op->getOperand(0)), rhs = slotOf(op->getOperand(1));
  unsigned to = slotOf(op->getResult(0)), words = count(op->getResult(0));
  Type type = getElements(op->getOperand(0).getType()).front();
  std::function<bool(Word, Word)> compare;
  if (auto icmp = dyn_cast<LLVM::ICmpOp>(op))
    compare = [predicate = icmp.getPredicate(), bits = getBits(type)](Word a,
                                                                      Word b) {
      return compareIntegers(predicate, a, b, bits);
    };
  else
    compare = [relations = getRelations(cast<LLVM::FCmpOp>(op).getPredicate()),
               decode = getDecode(type)](Word a, Word b) {
      return compareFloats(relations, decode(a), decode(b));
    };
  compute(op, [=](Thread &thread, ThreadBlock &) {
    auto &f = thread.frame;
    for (unsigned i = 0; i < words; ++i)
      f[to + i] = compare(f[lhs + i], f[rhs + i]);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Vectors and structs
//===----------------------------------------------------------------------===//

/// The words before the element at `position` of a value of `type`.
static unsigned getOffset(Type type, ArrayRef<int64_t> position) {
  unsigned offset = 0;
  for (int64_t index : position) {
    if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
      for (Type before : structure.getBody().take_front(index))
        offset += getElements(before).size();
      type = structure.getBody()[index];
    } else {
      type = isa<VectorType>(type)
                 ? cast<VectorType>(type).getElementType()
                 : cast<LLVM::LLVMArrayType>(type).getElementType();
      offset += index * getElements(type).size();
    }
  }
  return offset;
}

bool Translator::translateAggregate(Operation *op) {
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    unsigned offset =
        getOffset(extract.getContainer().getType(), extract.getPosition());
    copyWords(op, slotOf(extract.getContainer()) + offset, slotOf(extract),
              count(extract));
    return true;
  }
  if (auto insert = dyn_cast<LLVM::InsertValueOp>(op)) {
    unsigned offset =
        getOffset(insert.getContainer().getType(), insert.getPosition());
    copyWords(op, slotOf(insert.getContainer()), slotOf(insert), count(insert));
    copyWords(op, slotOf(insert.getValue()), slotOf(insert) + offset,
              count(insert.getValue()));
    return true;
  }
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    unsigned from = slotOf(extract.getVector()), to = slotOf(extract);
    unsigned position = slotOf(extract.getPosition());
    unsigned words = count(extract.getVector());
    compute(op, [=](Thread &thread, ThreadBlock &) {
      thread.frame[to] = thread.frame[from + thread.frame[position] % words];
    });
    return true;
  }
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op)) {
    unsigned from = slotOf(insert.getVector()), to = slotOf(insert);
    unsigned value = slotOf(insert.getValue()), words = count(insert);
    unsigned position = slotOf(insert.getPosition());
    compute(op, [=](Thread &thread, ThreadBlock &) {
      auto &f = thread.frame;
      std::copy_n(f.begin() + from, words, f.begin() + to);
      f[to + f[position] % words] = f[value];
    });
    return true;
  }
  auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op);
  if (!shuffle)
    return false;
  unsigned first = slotOf(shuffle.getV1()), second = slotOf(shuffle.getV2());
  unsigned to = slotOf(shuffle);
  int32_t size = count(shuffle.getV1());
  SmallVector<int32_t> mask(shuffle.getMask());
  compute(op, [=](Thread &thread, ThreadBlock &) {
    auto &f = thread.frame;
    for (auto [i, from] : llvm::enumerate(mask))
      f[to + i] =
          from < size ? f[first + std::max(from, 0)] : f[second + from - size];
  });
  return true;
}
