//===- PermutationTest.cpp - The result does not depend on how one writes -===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RMSNorm with a weight and a linear layer, and a linear layer with a low-rank
// update, in plain operations, with operands permuted, operations reordered and
// axes renamed: the same forms come out.
//
//===----------------------------------------------------------------------===//

#include "AlgebraFixture.h"

#include <algorithm>
#include <map>
#include <random>

using namespace mlir;
using namespace mlir::cleave;

namespace {

/// Writes a function with everything that does not matter drawn at random.
class Writer {
public:
  explicit Writer(unsigned seed) : random(seed) {
    std::vector<std::string> names = {"A", "B", "K", "M", "N", "Q", "Z"};
    shuffle(names);
    for (size_t i = 0; i < 4; ++i)
      axes["MKNR"[i]] = names[i];
  }

  std::string writeNorm();
  std::string writeUpdate();
  /// What an axis stands for.
  std::string original(StringRef name) const {
    auto [first, second] = name.split('.');
    if (!second.empty())
      return original(first) + "." + original(second);
    for (auto &[letter, chosen] : axes)
      if (chosen == name)
        return std::string(1, letter);
    return "?";
  }

private:
  struct Line {
    std::string result, text;
    std::vector<std::string> operands;
  };

  template <typename T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[random() % i]);
  }

  /// Axes as letters; sorted by their names unless in storage order.
  std::string type(std::string letters, StringRef element = "f32",
                   bool sorted = true) {
    if (sorted)
      std::sort(letters.begin(), letters.end(),
                [&](char a, char b) { return axes[a] < axes[b]; });
    std::string shape, names;
    for (char letter : letters) {
      shape += letter == 'M' || letter == 'R' ? "?x"
               : letter == 'K'                ? "512x"
                                              : "64x";
      names += (names.empty() ? "" : ", ") + axes[letter];
    }
    return "tensor<" + shape + element.str() + ", #cleave.axes<" + names + ">>";
  }

  void op(std::string result, std::string name,
          std::vector<std::string> operands, std::string letters,
          std::string suffix = "") {
    if (name != "rsqrt" && name != "recip")
      shuffle(operands);
    std::string values, types;
    for (const std::string &operand : operands) {
      values += (values.empty() ? "%" : ", %") + operand;
      types += (types.empty() ? "" : ", ") + valueTypes[operand];
    }
    valueTypes[result] = type(letters);
    lines.push_back({result,
                     "%" + result + " = cleave." + name + " " + values +
                         suffix + " : (" + types + ") -> " + valueTypes[result],
                     operands});
  }
  void leaf(std::string result, std::string text) {
    valueTypes[result] = type("");
    lines.push_back(
        {result, "%" + result + " = cleave." + text + " : " + type(""), {}});
  }

  std::string order(std::vector<std::string> done);

  std::mt19937 random;
  std::map<char, std::string> axes;
  std::map<std::string, std::string> valueTypes;
  std::vector<Line> lines;
};

/// The operations in some order that their operands allow.
std::string Writer::order(std::vector<std::string> done) {
  std::string body;
  while (!lines.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < lines.size(); ++i)
      if (llvm::all_of(lines[i].operands, [&](const std::string &operand) {
            return llvm::is_contained(done, operand);
          }))
        ready.push_back(i);
    size_t next = ready[random() % ready.size()];
    body += "  " + lines[next].text + "\n";
    done.push_back(lines[next].result);
    lines.erase(lines.begin() + next);
  }
  return body;
}

std::string Writer::writeUpdate() {
  valueTypes = {{"x", type("MK", "f16", false)},
                {"w", type("KN", "f16", false)},
                {"a", type("KR", "f16", false)},
                {"b", type("RN", "f16", false)}};
  std::string overK = " over [" + axes['K'] + "]",
              overR = " over [" + axes['R'] + "]";
  op("s", "contract", {"x", "w"}, "MN", overK);
  op("h", "contract", {"x", "a"}, "MR", overK);
  op("t", "contract", {"h", "b"}, "MN", overR);
  op("o", "add", {"s", "t"}, "MN");
  std::string body = order({"x", "w", "a", "b"});
  return "func.func @f(%x: " + valueTypes["x"] + ", %w: " + valueTypes["w"] +
         " {cleave.range = 8.0 : f32}, %a: " + valueTypes["a"] +
         " {cleave.range = 8.0 : f32}, %b: " + valueTypes["b"] +
         " {cleave.range = 1.0e-6 : f32}) -> " + valueTypes["o"] + " {\n" +
         body + "  return %o : " + valueTypes["o"] + "\n}\n";
}

std::string Writer::writeNorm() {
  valueTypes = {{"x", type("MK", "f16", false)},
                {"g", type("K", "f16")},
                {"w", type("KN", "f16", false)}};
  std::string over = " over [" + axes['K'] + "]";
  op("square", "mul", {"x", "x"}, "MK");
  op("sum", "reduce_sum", {"square"}, "M", over);
  leaf("n", "extent " + axes['K']);
  op("inv", "recip", {"n"}, "");
  op("mean", "mul", {"sum", "inv"}, "M");
  leaf("eps", "constant 1.0e-6");
  op("biased", "add", {"mean", "eps"}, "M");
  op("r", "rsqrt", {"biased"}, "M");
  if (random() % 2) {
    op("xr", "mul", {"x", "r"}, "MK");
    op("y", "mul", {"xr", "g"}, "MK");
  } else {
    op("y", "mul", {"x", "r", "g"}, "MK");
  }
  op("o", "contract", {"y", "w"}, "MN", over);

  std::string body = order({"x", "g", "w"});
  return "func.func @f(%x: " + valueTypes["x"] +
         " {cleave.range = 300.0 : f32}, %g: " + valueTypes["g"] +
         " {cleave.range = 8.0 : f32}, %w: " + valueTypes["w"] + ") -> " +
         valueTypes["o"] + " {\n" + body + "  return %o : " + valueTypes["o"] +
         "\n}\n";
}

class PermutationTest : public AlgebraFixture {
protected:
  /// A region with values numbered and axes called by what they are.
  std::string print(AlternativesOp op, unsigned region, const Writer &writer) {
    llvm::DenseMap<Value, unsigned> numbers;
    for (Value argument : op->getParentRegion()->getArguments())
      numbers.try_emplace(argument, numbers.size());
    std::string text;
    for (Operation &part : op.getAlternatives()[region].front()) {
      text += part.getName().getStringRef().str();
      for (Value operand : part.getOperands())
        text += " " + std::to_string(numbers.lookup(operand));
      for (NamedAttribute attribute : part.getAttrs()) {
        if (auto axes = dyn_cast<AxesAttr>(attribute.getValue()))
          for (StringAttr name : axes.getNames())
            text += " " + writer.original(name);
        if (auto axis = dyn_cast<StringAttr>(attribute.getValue()))
          text += " " + writer.original(axis);
        if (auto along = dyn_cast<ArrayAttr>(attribute.getValue()))
          for (StringAttr axis : along.getAsRange<StringAttr>())
            text += " " + writer.original(axis);
      }
      text += "\n";
      for (Value result : part.getResults())
        numbers.try_emplace(result, numbers.size());
    }
    return text;
  }
};

TEST_F(PermutationTest, OneFormForAllSpellings) {
  std::string first;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Writer writer(seed);
    std::string text = writer.writeNorm();
    AlternativesOp op = optimizeText(text);
    ASSERT_TRUE(op) << text << message;
    std::string form = print(op, 0, writer);
    if (seed == 0)
      first = form;
    ASSERT_EQ(form, first) << text;
  }
  // It is the one with the scale behind the contraction.
  size_t contract = first.find("cleave.contract");
  ASSERT_NE(contract, std::string::npos);
  EXPECT_NE(first.find("cleave.mul", contract), std::string::npos) << first;
}

TEST_F(PermutationTest, AllFormsForAllSpellings) {
  std::string first;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Writer writer(seed);
    std::string text = writer.writeUpdate();
    AlternativesOp op = optimizeText(text);
    ASSERT_TRUE(op) << text << message;
    std::string forms;
    for (unsigned i = 0; i < op.getAlternatives().size(); ++i)
      if (cast<StringAttr>(op.getLabelsAttr()[i]) != "input")
        forms += print(op, i, writer) + "\n";
    if (seed == 0)
      first = forms;
    ASSERT_EQ(forms, first) << text;
  }
  EXPECT_NE(first.find("cleave.concat"), std::string::npos) << first;
}

} // namespace
