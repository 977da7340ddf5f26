//===- Driver.h - What a launch needs from a GPU ----------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device interface that programs are launched through. CudaDriver is the
// real one; tests use a recording one. One device, one stream, work in order.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_RUNTIME_DRIVER_H
#define CLEAVE_RUNTIME_DRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace mlir::cleave {

using DevicePointer = uint64_t;

struct DeviceInfo {
  std::string name;
  /// "sm_90" for compute capability 9.0.
  std::string chip;
  int multiprocessors = 0;
  int64_t l2Bytes = 0;
  /// Shared memory that a block may ask for; 0 if unknown.
  int64_t sharedBytesPerBlock = 0;
};

/// The launch of one kernel. `params` holds every parameter in eight bytes.
struct LaunchConfig {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t sharedBytes = 0;
  /// The kernel waits for those before it by itself: it may start before they
  /// have ended (`cleave.overlap`).
  bool overlaps = false;
};

class Driver {
public:
  using Module = void *;
  using Function = void *;
  using Graph = void *;

  virtual ~Driver();

  virtual DeviceInfo getInfo() = 0;

  /// Loads a cubin or null-terminated PTX.
  virtual llvm::Expected<Module> loadModule(llvm::StringRef image) = 0;
  virtual void unloadModule(Module module) = 0;
  virtual llvm::Expected<Function> getFunction(Module module,
                                               llvm::StringRef name) = 0;
  /// Must be called once before launches with `bytes` of dynamic shared memory.
  virtual llvm::Error reserveSharedMemory(Function function, int64_t bytes) = 0;

  virtual llvm::Expected<DevicePointer> allocate(int64_t bytes) = 0;
  virtual void release(DevicePointer pointer) = 0;
  virtual llvm::Error copyToDevice(DevicePointer to,
                                   llvm::ArrayRef<char> from) = 0;
  virtual llvm::Error copyToHost(llvm::MutableArrayRef<char> to,
                                 DevicePointer from) = 0;
  virtual llvm::Error fill(DevicePointer to, uint8_t byte, int64_t count) = 0;

  /// Enqueues; faults of the kernel itself show in the next synchronize.
  virtual llvm::Error launch(Function function, const LaunchConfig &config,
                             llvm::ArrayRef<uint64_t> params) = 0;
  virtual llvm::Error synchronize() = 0;

  /// Records the launches between begin and end instead of running them.
  virtual llvm::Error beginCapture() = 0;
  virtual llvm::Expected<Graph> endCapture() = 0;
  virtual llvm::Error launchGraph(Graph graph) = 0;
  virtual void destroyGraph(Graph graph) = 0;

  /// Marks now on the stream; elapsed gives the time between two marks.
  virtual llvm::Error recordMark(unsigned mark) = 0;
  virtual llvm::Expected<double> elapsedMicroseconds(unsigned from,
                                                     unsigned to) = 0;
};

/// Device memory with guard zones on both sides, released with the object.
class DeviceBuffer {
public:
  static constexpr int64_t guardBytes = 4096;

  static llvm::Expected<DeviceBuffer> create(Driver &driver, int64_t bytes);
  DeviceBuffer(DeviceBuffer &&other);
  DeviceBuffer &operator=(DeviceBuffer &&other);
  ~DeviceBuffer();

  DevicePointer get() const { return base + guardBytes; }
  int64_t size() const { return bytes; }

  /// An error if anything was written beside the buffer.
  llvm::Error checkGuards() const;

private:
  DeviceBuffer(Driver &driver, DevicePointer base, int64_t bytes)
      : driver(&driver), base(base), bytes(bytes) {}

  Driver *driver;
  DevicePointer base;
  int64_t bytes;
};

} // namespace mlir::cleave

#endif // CLEAVE_RUNTIME_DRIVER_H
