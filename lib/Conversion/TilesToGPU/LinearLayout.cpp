//===- LinearLayout.cpp - Tile layouts as maps over bits ------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linear algebra over GF(2) behind the layouts. No IR.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

using namespace mlir::cleave;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Vectors over GF(2), reduced to distinct leading bits, each with the set of
/// inserted vectors that it is the sum of.
class Basis {
public:
  /// Adds `vector`, the `index`-th one. False if it depends on earlier ones.
  bool insert(uint64_t vector, unsigned index) {
    uint64_t combination = uint64_t(1) << index;
    reduce(vector, combination);
    if (!vector)
      return false;
    rows.push_back({vector, combination});
    llvm::sort(rows,
               [](const Row &a, const Row &b) { return a.first > b.first; });
    return true;
  }
  /// The set of inserted vectors whose sum is `vector`, if there is one.
  std::optional<uint64_t> solve(uint64_t vector) const {
    uint64_t combination = 0;
    reduce(vector, combination);
    if (vector)
      return std::nullopt;
    return combination;
  }
  unsigned rank() const { return rows.size(); }

private:
  using Row = std::pair<uint64_t, uint64_t>;
  void reduce(uint64_t &vector, uint64_t &combination) const {
    for (const Row &row : rows)
      if (vector & llvm::bit_floor(row.first)) {
        vector ^= row.first;
        combination ^= row.second;
      }
  }
  SmallVector<Row, 16> rows;
};

unsigned log2Of(int64_t size) { return llvm::Log2_64(size); }

int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

LinearLayout::Vec delinearizeIn(ArrayRef<int64_t> shape, int64_t offset) {
  LinearLayout::Vec coords(shape.size());
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    coords[d] = offset % shape[d];
    offset /= shape[d];
  }
  return coords;
}

int64_t linearizeIn(ArrayRef<int64_t> shape, ArrayRef<int64_t> coords) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    offset = offset * shape[d] + coords[d];
  return offset;
}

} // namespace

LinearLayout::LinearLayout(ArrayRef<int64_t> shape, std::array<Vec, 3> bases)
    : shape(shape.begin(), shape.end()), bases(std::move(bases)) {
  assert(
      llvm::all_of(shape, [](int64_t s) { return llvm::isPowerOf2_64(s); }) &&
      "tile sizes are powers of two");
}

LinearLayout LinearLayout::scalar(int64_t warps) {
  return LinearLayout({}, {Vec(), Vec(kLaneBits, 0), Vec(log2Of(warps), 0)});
}

int64_t LinearLayout::getNumElements() const { return countElements(shape); }

int64_t LinearLayout::apply(InDim dim, int64_t index) const {
  int64_t offset = 0;
  for (auto [bit, basis] : llvm::enumerate(getBases(dim)))
    if (index >> bit & 1)
      offset ^= basis;
  return offset;
}

int64_t LinearLayout::apply(const LayoutPoint &point) const {
  return apply(InDim::Register, point.reg) ^ apply(InDim::Lane, point.lane) ^
         apply(InDim::Warp, point.warp);
}

LinearLayout::Vec LinearLayout::delinearize(int64_t offset) const {
  return delinearizeIn(shape, offset);
}

int64_t LinearLayout::linearize(ArrayRef<int64_t> coords) const {
  return linearizeIn(shape, coords);
}

int64_t LinearLayout::getCoord(InDim dim, unsigned bit, unsigned d) const {
  return delinearize(getBases(dim)[bit])[d];
}

bool LinearLayout::isSurjective() const {
  Basis basis;
  unsigned index = 0;
  for (InDim dim : kInDims)
    for (int64_t b : getBases(dim))
      basis.insert(b, index++);
  return basis.rank() == log2Of(getNumElements());
}

bool LinearLayout::isInjective() const {
  return llvm::all_of(kInDims, [&](InDim dim) { return !getFreeMask(dim); });
}

bool LinearLayout::isPermutation() const {
  int64_t seen = 0;
  for (InDim dim : kInDims)
    for (int64_t b : getBases(dim)) {
      if (b && (!llvm::isPowerOf2_64(b) || (seen & b)))
        return false;
      seen |= b;
    }
  return true;
}

int64_t LinearLayout::getFreeMask(InDim wanted) const {
  Basis basis;
  unsigned index = 0;
  for (InDim dim : kInDims) {
    int64_t mask = 0;
    for (auto [bit, b] : llvm::enumerate(getBases(dim)))
      if (!basis.insert(b, index++))
        mask |= int64_t(1) << bit;
    if (dim == wanted)
      return mask;
  }
  return 0;
}

std::optional<SmallVector<LayoutPoint, 8>> LinearLayout::invert() const {
  Basis basis;
  unsigned index = 0;
  for (InDim dim : kInDims)
    for (int64_t b : getBases(dim))
      basis.insert(b, index++);
  unsigned regBits = getNumBits(InDim::Register);
  unsigned laneBits = getNumBits(InDim::Lane);
  SmallVector<LayoutPoint, 8> inverse;
  for (unsigned bit = 0; bit < log2Of(getNumElements()); ++bit) {
    std::optional<uint64_t> input = basis.solve(uint64_t(1) << bit);
    if (!input)
      return std::nullopt;
    inverse.push_back(
        {int64_t(*input & ((uint64_t(1) << regBits) - 1)),
         int64_t(*input >> regBits & ((uint64_t(1) << laneBits) - 1)),
         int64_t(*input >> (regBits + laneBits))});
  }
  return inverse;
}

LayoutPoint LinearLayout::applyInverse(ArrayRef<LayoutPoint> inverse,
                                       int64_t offset) {
  LayoutPoint point;
  for (auto [bit, p] : llvm::enumerate(inverse))
    if (offset >> bit & 1) {
      point.reg ^= p.reg;
      point.lane ^= p.lane;
      point.warp ^= p.warp;
    }
  return point;
}

SmallVector<unsigned, 8>
LinearLayout::getKeptRegisterBits(ArrayRef<int64_t> dims) const {
  Basis basis;
  SmallVector<unsigned, 8> kept;
  for (auto [bit, b] : llvm::enumerate(getBases(InDim::Register))) {
    Vec coords = delinearize(b);
    for (int64_t d : dims)
      coords[d] = 0;
    if (basis.insert(linearize(coords), bit))
      kept.push_back(bit);
  }
  return kept;
}

LinearLayout LinearLayout::slice(ArrayRef<int64_t> dims) const {
  Vec newShape;
  for (unsigned d = 0; d < getRank(); ++d)
    if (!llvm::is_contained(dims, int64_t(d)))
      newShape.push_back(shape[d]);
  auto drop = [&](int64_t offset) {
    Vec coords = delinearize(offset), rest;
    for (unsigned d = 0; d < getRank(); ++d)
      if (!llvm::is_contained(dims, int64_t(d)))
        rest.push_back(coords[d]);
    return linearizeIn(newShape, rest);
  };
  std::array<Vec, 3> newBases;
  for (unsigned bit : getKeptRegisterBits(dims))
    newBases[0].push_back(drop(bases[0][bit]));
  for (unsigned i : {1u, 2u})
    for (int64_t b : bases[i])
      newBases[i].push_back(drop(b));
  return LinearLayout(newShape, std::move(newBases));
}

LinearLayout LinearLayout::transpose(ArrayRef<int64_t> perm) const {
  Vec newShape;
  for (int64_t p : perm)
    newShape.push_back(shape[p]);
  std::array<Vec, 3> newBases;
  for (unsigned i = 0; i < 3; ++i)
    for (int64_t b : bases[i]) {
      Vec coords = delinearize(b), moved;
      for (int64_t p : perm)
        moved.push_back(coords[p]);
      newBases[i].push_back(linearizeIn(newShape, moved));
    }
  return LinearLayout(newShape, std::move(newBases));
}

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> newShape) const {
  assert(countElements(newShape) == getNumElements() &&
         "reshape keeps elements");
  return LinearLayout(newShape, bases);
}

LinearLayout LinearLayout::expand(ArrayRef<int64_t> dims,
                                  ArrayRef<int64_t> newShape) const {
  auto embed = [&](int64_t offset) {
    Vec coords = delinearize(offset), all;
    unsigned next = 0;
    for (unsigned d = 0; d < newShape.size(); ++d)
      all.push_back(llvm::is_contained(dims, int64_t(d)) ? 0 : coords[next++]);
    return linearizeIn(newShape, all);
  };
  std::array<Vec, 3> newBases;
  for (unsigned i = 0; i < 3; ++i)
    for (int64_t b : bases[i])
      newBases[i].push_back(embed(b));
  for (int64_t d : dims)
    for (int64_t step = 1; step < newShape[d]; step *= 2) {
      Vec coords(newShape.size(), 0);
      coords[d] = step;
      newBases[0].push_back(linearizeIn(newShape, coords));
    }
  return LinearLayout(newShape, std::move(newBases));
}

LinearLayout LinearLayout::repeat(InDim dim, unsigned d, int64_t count) const {
  Vec newShape = shape;
  newShape[d] *= count;
  std::array<Vec, 3> newBases;
  for (unsigned i = 0; i < 3; ++i)
    for (int64_t b : bases[i])
      newBases[i].push_back(linearizeIn(newShape, delinearize(b)));
  for (int64_t step = 1; step < count; step *= 2) {
    Vec coords(getRank(), 0);
    coords[d] = step * shape[d];
    newBases[static_cast<unsigned>(dim)].push_back(
        linearizeIn(newShape, coords));
  }
  return LinearLayout(newShape, std::move(newBases));
}

LinearLayout LinearLayout::replicate(InDim dim, unsigned bits) const {
  LinearLayout result = *this;
  result.bases[static_cast<unsigned>(dim)].append(bits, 0);
  return result;
}

LinearLayout LinearLayout::product(const LinearLayout &outer) const {
  assert(getRank() == outer.getRank() && "product of equal ranks");
  Vec newShape;
  for (unsigned d = 0; d < getRank(); ++d)
    newShape.push_back(shape[d] * outer.shape[d]);
  std::array<Vec, 3> newBases;
  for (unsigned i = 0; i < 3; ++i) {
    for (int64_t b : bases[i])
      newBases[i].push_back(linearizeIn(newShape, delinearize(b)));
    for (int64_t b : outer.bases[i]) {
      Vec coords = outer.delinearize(b);
      for (unsigned d = 0; d < getRank(); ++d)
        coords[d] *= shape[d];
      newBases[i].push_back(linearizeIn(newShape, coords));
    }
  }
  return LinearLayout(newShape, std::move(newBases));
}

int64_t LinearLayout::getContiguity(unsigned d) const {
  unsigned bits = 0;
  ArrayRef<int64_t> regs = getBases(InDim::Register);
  auto isStep = [&](unsigned bit) {
    Vec coords(getRank(), 0);
    coords[d] = int64_t(1) << bit;
    return coords[d] < shape[d] && regs[bit] == linearize(coords);
  };
  while (bits < regs.size() && isStep(bits))
    ++bits;
  // The run must start at a multiple of its length: no other bit may touch the
  // low bits of the coordinate.
  int64_t touched = 0;
  for (InDim dim : kInDims)
    for (unsigned bit = dim == InDim::Register ? bits : 0;
         bit < getNumBits(dim); ++bit)
      touched |= getCoord(dim, bit, d);
  while (bits && (touched & ((int64_t(1) << bits) - 1)))
    --bits;
  return int64_t(1) << bits;
}

int64_t LinearLayout::getLaneContiguity(unsigned d) const {
  int64_t run = getContiguity(d);
  ArrayRef<int64_t> lanes = getBases(InDim::Lane);
  for (;;) {
    Vec next(getRank(), 0);
    next[d] = run;
    if (run >= shape[d] || !llvm::is_contained(lanes, linearize(next)))
      return run;
    run *= 2;
  }
}

std::optional<SmallVector<int64_t, 16>>
LinearLayout::getRegisterPermutation(const LinearLayout &to) const {
  if (shape != to.shape || bases[1].size() != to.bases[1].size() ||
      bases[2].size() != to.bases[2].size())
    return std::nullopt;
  Basis regs;
  for (auto [bit, b] : llvm::enumerate(bases[0]))
    regs.insert(b, bit);
  // Each register of `to` must be a register of this one, for every thread:
  // the threads' offsets may differ only by what registers reach.
  SmallVector<int64_t, 16> bitSource;
  for (int64_t b : to.bases[0]) {
    std::optional<uint64_t> source = regs.solve(b);
    if (!source)
      return std::nullopt;
    bitSource.push_back(*source);
  }
  for (unsigned i : {1u, 2u})
    if (bases[i] != to.bases[i])
      return std::nullopt;
  SmallVector<int64_t, 16> source;
  for (int64_t r = 0; r < to.getNumRegisters(); ++r) {
    int64_t s = 0;
    for (auto [bit, b] : llvm::enumerate(bitSource))
      if (r >> bit & 1)
        s ^= b;
    source.push_back(s);
  }
  return source;
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  constexpr const char *names[] = {"reg", "lane", "warp"};
  for (unsigned i = 0; i < 3; ++i) {
    os << (i ? ", " : " ") << names[i] << " = [";
    llvm::interleaveComma(bases[i], os, [&](int64_t b) {
      os << '(';
      llvm::interleave(delinearize(b), os, ",");
      os << ')';
    });
    os << ']';
  }
  return text;
}
