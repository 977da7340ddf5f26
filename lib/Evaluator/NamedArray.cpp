//===- NamedArray.cpp - Arrays whose dimensions have names ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Construction, views and the loop over rows that every operation is made of.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Evaluator/NamedArray.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mlir::cleave;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

NamedArray::NamedArray(ElementKind kind, SmallVector<Axis> axesIn)
    : kind(kind), axes(std::move(axesIn)) {
  int64_t stride = 1;
  for (Axis &axis : llvm::reverse(axes)) {
    axis.stride = stride;
    stride *= axis.extent;
  }
  storage = std::make_shared<std::vector<double>>(stride);
}

NamedArray NamedArray::splat(ElementKind kind, double value,
                             SmallVector<Axis> axes) {
  NamedArray array(kind, {});
  array.data()[0] = value;
  for (Axis &axis : axes)
    axis.stride = 0;
  array.axes = std::move(axes);
  return array;
}

const Axis *NamedArray::find(StringRef name) const {
  const Axis *axis =
      llvm::find_if(axes, [&](const Axis &a) { return a.name == name; });
  return axis == axes.end() ? nullptr : axis;
}

int64_t NamedArray::size() const {
  int64_t count = 1;
  for (const Axis &axis : axes)
    count *= axis.extent;
  return count;
}

int64_t NamedArray::strideOf(StringRef name) const {
  const Axis *axis = find(name);
  return axis ? axis->stride : 0;
}

NamedArray NamedArray::rename(StringRef from, StringRef to) const {
  NamedArray view = *this;
  for (Axis &axis : view.axes)
    if (axis.name == from)
      axis.name = to.str();
  return view;
}

NamedArray NamedArray::slice(StringRef name, int64_t begin,
                             int64_t length) const {
  NamedArray view = *this;
  for (Axis &axis : view.axes)
    if (axis.name == name) {
      assert(begin + length <= axis.extent && "slice within the axis");
      axis.extent = length;
      // An empty slice at the end must not point behind the data.
      view.offset += length ? begin * axis.stride : 0;
    }
  return view;
}

NamedArray NamedArray::at(StringRef name, int64_t position) const {
  NamedArray view = *this;
  Axis *axis =
      llvm::find_if(view.axes, [&](const Axis &a) { return a.name == name; });
  assert(axis != view.axes.end() && "an existing axis");
  view.offset += position * axis->stride;
  view.axes.erase(axis);
  return view;
}

NamedArray NamedArray::broadcast(StringRef name, int64_t extent) const {
  assert(!find(name) && "an axis stands once");
  NamedArray view = *this;
  view.axes.insert(view.axes.begin(), Axis{name.str(), extent, 0});
  return view;
}

NamedArray NamedArray::splitView(StringRef name, const Axis &outer,
                                 const Axis &inner) const {
  NamedArray view = *this;
  Axis *axis =
      llvm::find_if(view.axes, [&](const Axis &a) { return a.name == name; });
  assert(axis != view.axes.end() && "an existing axis");
  assert(outer.extent * inner.extent == axis->extent && "a dividing split");
  int64_t stride = axis->stride;
  *axis = Axis{inner.name, inner.extent, stride};
  view.axes.insert(axis, Axis{outer.name, outer.extent, stride * inner.extent});
  return view;
}

NamedArray mlir::cleave::fromHost(const HostArray &array,
                                  ArrayRef<std::string> names) {
  SmallVector<Axis> axes;
  for (auto [name, extent] : llvm::zip_equal(names, array.getShape()))
    axes.push_back({name, extent, 0});
  NamedArray result(array.getKind(), std::move(axes));
  array.copyTo({result.data(), size_t(array.size())});
  return result;
}

HostArray mlir::cleave::toHost(const NamedArray &array,
                               ArrayRef<std::string> names, ElementKind kind) {
  SmallVector<Axis> axes;
  SmallVector<int64_t> shape;
  for (const std::string &name : names) {
    axes.push_back(*array.find(name));
    shape.push_back(axes.back().extent);
  }
  NamedArray ordered(kind, axes);
  forEachRow(ordered.getAxes(), {&ordered, &array},
             [](double *const *p, const int64_t *s, int64_t n) {
               for (int64_t i = 0; i < n; ++i)
                 p[0][i * s[0]] = p[1][i * s[1]];
             });
  HostArray result(kind, shape);
  result.assign({ordered.data(), size_t(ordered.size())});
  return result;
}

SmallVector<Axis> mlir::cleave::unionOf(ArrayRef<NamedArray> arrays) {
  const NamedArray *largest = nullptr;
  for (const NamedArray &array : arrays)
    if (!largest || array.getAxes().size() > largest->getAxes().size())
      largest = &array;
  SmallVector<Axis> axes;
  if (!largest)
    return axes;
  axes.assign(largest->getAxes().begin(), largest->getAxes().end());
  llvm::stable_sort(
      axes, [](const Axis &a, const Axis &b) { return a.stride > b.stride; });
  SmallVector<Axis> others;
  for (const NamedArray &array : arrays)
    for (const Axis &axis : array.getAxes())
      if (llvm::none_of(llvm::concat<Axis>(axes, others),
                        [&](const Axis &a) { return a.name == axis.name; }))
        others.push_back(axis);
  // What only smaller operands carry goes outside: the rows stay long.
  others.append(axes.begin(), axes.end());
  return others;
}

namespace {

/// The loops over all positions, neighbours merged where every array allows.
struct LoopNest {
  SmallVector<int64_t> extents;
  /// One list of strides a loop, outermost first.
  SmallVector<SmallVector<int64_t, 4>> strides;

  LoopNest(ArrayRef<Axis> axes, ArrayRef<const NamedArray *> arrays) {
    for (const Axis &axis : axes) {
      if (axis.extent == 1)
        continue;
      SmallVector<int64_t, 4> step;
      for (const NamedArray *array : arrays)
        step.push_back(array->strideOf(axis.name));
      if (canMerge(axis.extent, step)) {
        extents.back() *= axis.extent;
        strides.back() = step;
        continue;
      }
      extents.push_back(axis.extent);
      strides.push_back(step);
    }
    if (extents.empty()) {
      extents.push_back(1);
      strides.emplace_back(arrays.size(), 0);
    }
  }

  bool canMerge(int64_t extent, ArrayRef<int64_t> step) const {
    if (extents.empty())
      return false;
    for (auto [outer, inner] : llvm::zip_equal(strides.back(), step))
      if (outer != inner * extent)
        return false;
    return true;
  }
};

} // namespace

void mlir::cleave::forEachRow(
    ArrayRef<Axis> axes, ArrayRef<const NamedArray *> arrays,
    llvm::function_ref<void(double *const *, const int64_t *, int64_t)> row) {
  for (const Axis &axis : axes)
    if (axis.extent == 0)
      return;
  LoopNest nest(axes, arrays);
  SmallVector<double *> pointers;
  for (const NamedArray *array : arrays)
    pointers.push_back(const_cast<double *>(array->data()));
  size_t depth = nest.extents.size() - 1;
  SmallVector<int64_t> index(depth, 0);
  while (true) {
    row(pointers.data(), nest.strides[depth].data(), nest.extents[depth]);
    size_t d = depth;
    while (d-- > 0) {
      for (auto [pointer, stride] : llvm::zip_equal(pointers, nest.strides[d]))
        pointer += stride;
      if (++index[d] < nest.extents[d])
        break;
      for (auto [pointer, stride] : llvm::zip_equal(pointers, nest.strides[d]))
        pointer -= stride * nest.extents[d];
      index[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}
