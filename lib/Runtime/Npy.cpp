//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is a Python dictionary literal with three known keys; only what
// NumPy itself writes is accepted, and a file of another length is an error.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir::cleave;
using llvm::createStringError;
using llvm::StringRef;

namespace {

struct TypeCode {
  StringRef code;
  ElementKind kind;
};

constexpr TypeCode typeCodes[] = {
    {"<f2", ElementKind::F16}, {"<f4", ElementKind::F32},
    {"<f8", ElementKind::F64}, {"|b1", ElementKind::I1},
    {"|i1", ElementKind::I8},  {"|u1", ElementKind::U8},
    {"<i2", ElementKind::I16}, {"<u2", ElementKind::U16},
    {"<i4", ElementKind::I32}, {"<i8", ElementKind::I64}};

struct Header {
  ElementKind kind = ElementKind::F32;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};

/// The text after `'key':`, or nothing.
std::optional<StringRef> findKey(StringRef dictionary, StringRef key) {
  std::string quoted = ("'" + key + "':").str();
  size_t at = dictionary.find(quoted);
  if (at == StringRef::npos)
    return std::nullopt;
  return dictionary.drop_front(at + quoted.size()).ltrim();
}

llvm::Error parseShape(StringRef text, llvm::SmallVectorImpl<int64_t> &shape) {
  size_t end = text.find(')');
  if (!text.consume_front("(") || end == StringRef::npos)
    return createStringError("expected a tuple as 'shape'");
  StringRef inner = text.take_front(end - 1);
  int64_t limit = int64_t(1) << 48;
  int64_t total = 1;
  while (!inner.trim().empty()) {
    auto [head, tail] = inner.split(',');
    int64_t extent;
    if (head.trim().getAsInteger(10, extent) || extent < 0 || extent > limit)
      return createStringError("expected extents in 'shape' but got '" +
                               head.trim().str() + "'");
    shape.push_back(extent);
    total *= std::max<int64_t>(extent, 1);
    if (total > limit)
      return createStringError("'shape' is too large");
    inner = tail;
  }
  return llvm::Error::success();
}

llvm::Expected<Header> parseHeader(StringRef text) {
  Header header;
  std::optional<StringRef> descr = findKey(text, "descr");
  std::optional<StringRef> order = findKey(text, "fortran_order");
  std::optional<StringRef> shape = findKey(text, "shape");
  if (!descr || !order || !shape)
    return createStringError("expected the keys 'descr', 'fortran_order' and "
                             "'shape' in the header");
  StringRef code = descr->drop_front(1).take_until(
      [](char c) { return c == '\'' || c == '"'; });
  const TypeCode *found = llvm::find_if(
      typeCodes, [&](const TypeCode &known) { return known.code == code; });
  if (!descr->starts_with("'") || found == std::end(typeCodes))
    return createStringError("unsupported element type '" + code.str() + "'");
  header.kind = found->kind;
  if (order->starts_with("True"))
    header.fortranOrder = true;
  else if (!order->starts_with("False"))
    return createStringError("expected True or False as 'fortran_order'");
  if (llvm::Error error = parseShape(*shape, header.shape))
    return std::move(error);
  return header;
}

/// Copies column-major elements into row-major order.
void copyFromFortran(StringRef from, HostArray &to) {
  llvm::ArrayRef<int64_t> shape = to.getShape();
  unsigned width = elementSize(to.getKind());
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, end = to.size(); i < end; ++i) {
    int64_t source = 0;
    for (size_t d = shape.size(); d-- > 0;)
      source = source * shape[d] + index[d];
    std::memcpy(to.data() + i * width, from.data() + source * width, width);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

} // namespace

llvm::Expected<HostArray> mlir::cleave::parseNpy(StringRef contents) {
  StringRef rest = contents;
  if (!rest.consume_front("\x93NUMPY") || rest.size() < 2)
    return createStringError("not an .npy file");
  unsigned major = uint8_t(rest[0]);
  if (major < 1 || major > 3)
    return createStringError("unsupported .npy version " +
                             std::to_string(major));
  rest = rest.drop_front(2);
  unsigned lengthBytes = major == 1 ? 2 : 4;
  if (rest.size() < lengthBytes)
    return createStringError("the header is truncated");
  size_t length = 0;
  for (unsigned i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(rest[i])) << (8 * i);
  rest = rest.drop_front(lengthBytes);
  if (rest.size() < length)
    return createStringError("the header is truncated");
  llvm::Expected<Header> header = parseHeader(rest.take_front(length));
  if (!header)
    return header.takeError();
  rest = rest.drop_front(length);

  size_t expected = countElements(header->shape) * elementSize(header->kind);
  if (rest.size() != expected)
    return createStringError("expected " + std::to_string(expected) +
                             " bytes of data for " +
                             shapeToString(header->shape, header->kind) +
                             " but got " + std::to_string(rest.size()));
  HostArray array(header->kind, header->shape);
  if (header->fortranOrder)
    copyFromFortran(rest, array);
  else if (expected)
    std::memcpy(array.data(), rest.data(), expected);
  return array;
}

llvm::Expected<HostArray> mlir::cleave::readNpy(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path.str() +
                             "': " + buffer.getError().message());
  llvm::Expected<HostArray> array = parseNpy((*buffer)->getBuffer());
  if (!array)
    return createStringError("cannot read '" + path.str() +
                             "': " + llvm::toString(array.takeError()));
  return array;
}

llvm::Error mlir::cleave::writeNpy(StringRef path, const HostArray &array) {
  ElementKind kind = array.getKind();
  if (kind == ElementKind::BF16)
    kind = ElementKind::U16;
  const TypeCode *code = llvm::find_if(
      typeCodes, [&](const TypeCode &known) { return known.kind == kind; });
  std::string header = "{'descr': '" + code->code.str() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.getShape())
    header += std::to_string(extent) + ", ";
  header += "), }";
  // The data starts at a multiple of 64 bytes, as the format asks.
  while ((header.size() + 11) % 64)
    header += ' ';
  header += '\n';

  std::error_code status;
  llvm::raw_fd_ostream out(path, status);
  if (status)
    return createStringError("cannot write '" + path.str() +
                             "': " + status.message());
  out << StringRef("\x93NUMPY\x01\x00", 8) << char(header.size() & 0xff)
      << char(header.size() >> 8) << header
      << StringRef(array.data(), array.bytes().size());
  out.close();
  if (out.has_error()) {
    status = out.error();
    out.clear_error();
    return createStringError("cannot write '" + path.str() +
                             "': " + status.message());
  }
  return llvm::Error::success();
}
