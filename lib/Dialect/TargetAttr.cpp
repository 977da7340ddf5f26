//===- TargetAttr.cpp - The attribute that describes a GPU ----------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model divides by rates, so there is none without a value.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Dialect/CleaveDialect.h"

using namespace mlir;
using namespace mlir::cleave;

LogicalResult
TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                   int64_t multiprocessors, int64_t memory, int64_t cache,
                   int64_t cached, int64_t sharedTraffic, int64_t tensor,
                   int64_t scalar, int64_t special, int64_t latency,
                   int64_t barrier, int64_t launch, int64_t arrival,
                   int64_t sharedPerBlock, int64_t shared, int64_t registers,
                   int64_t registersPerThread, int64_t warps) {
  const std::pair<StringRef, int64_t> positive[] = {
      {"multiprocessors", multiprocessors},
      {"memory_bytes_per_us", memory},
      {"cache_bytes_per_us", cache},
      {"cached_bytes", cached},
      {"shared_bytes_per_us", sharedTraffic},
      {"tensor_macs_per_us", tensor},
      {"scalar_ops_per_us", scalar},
      {"special_ops_per_us", special},
      {"shared_bytes_per_block", sharedPerBlock},
      {"shared_bytes", shared},
      {"registers", registers},
      {"registers_per_thread", registersPerThread},
      {"warps", warps}};
  for (auto [name, value] : positive)
    if (value < 1)
      return emitError() << "expected '" << name
                         << "' to be at least 1 but got " << value;
  const std::pair<StringRef, int64_t> times[] = {{"latency_ns", latency},
                                                 {"barrier_ns", barrier},
                                                 {"launch_ns", launch},
                                                 {"arrival_ns", arrival}};
  for (auto [name, value] : times)
    if (value < 0)
      return emitError() << "expected '" << name
                         << "' to be at least 0 but got " << value;
  return success();
}
