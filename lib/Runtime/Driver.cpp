//===- Driver.cpp - Guarded device memory ---------------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers whose surroundings are checked: a kernel that writes one row too far
// must not pass a check because the memory behind its result was free.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/Driver.h"

#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace mlir::cleave;

static constexpr uint8_t guardByte = 0xa5;

Driver::~Driver() = default;

llvm::Expected<DeviceBuffer> DeviceBuffer::create(Driver &driver,
                                                  int64_t bytes) {
  llvm::Expected<DevicePointer> base = driver.allocate(bytes + 2 * guardBytes);
  if (!base)
    return base.takeError();
  DeviceBuffer buffer(driver, *base, bytes);
  if (llvm::Error error = driver.fill(*base, guardByte, guardBytes))
    return std::move(error);
  if (llvm::Error error =
          driver.fill(*base + guardBytes + bytes, guardByte, guardBytes))
    return std::move(error);
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other)
    : driver(other.driver), base(other.base), bytes(other.bytes) {
  other.base = 0;
}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) {
  std::swap(driver, other.driver);
  std::swap(base, other.base);
  std::swap(bytes, other.bytes);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (base)
    driver->release(base);
}

llvm::Error DeviceBuffer::checkGuards() const {
  std::vector<char> zone(guardBytes);
  for (DevicePointer start : {base, base + guardBytes + bytes}) {
    if (llvm::Error error = driver->copyToHost(zone, start))
      return error;
    if (!llvm::all_of(zone, [](char c) { return uint8_t(c) == guardByte; }))
      return llvm::createStringError(llvm::StringRef("memory was written ") +
                                     (start == base ? "before" : "behind") +
                                     " a buffer");
  }
  return llvm::Error::success();
}
