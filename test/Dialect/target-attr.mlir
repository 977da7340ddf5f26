// RUN: cleave-opt %s --split-input-file --verify-diagnostics | cleave-opt --split-input-file --allow-unregistered-dialect | FileCheck %s

// CHECK: module attributes {cleave.target = #cleave.target<chip = "sm_80", multiprocessors = 108, memory_bytes_per_us = 1700000,
module attributes {cleave.target = #cleave.target<
  chip = "sm_80", multiprocessors = 108, memory_bytes_per_us = 1700000, cache_bytes_per_us = 4500000, cached_bytes = 24000000, shared_bytes_per_us = 19000000,
  tensor_macs_per_us = 140000000, scalar_ops_per_us = 9700000, special_ops_per_us = 2400000,
  latency_ns = 600, barrier_ns = 200, launch_ns = 3000, arrival_ns = 1500, shared_bytes_per_block = 166912, shared_bytes = 167936,
  registers = 65536, registers_per_thread = 255, warps = 64>} {}

// -----

// expected-error@+1 {{expected 'multiprocessors' to be at least 1 but got 0}}
module attributes {cleave.target = #cleave.target<
  chip = "sm_80", multiprocessors = 0, memory_bytes_per_us = 1700000, cache_bytes_per_us = 4500000, cached_bytes = 24000000, shared_bytes_per_us = 19000000,
  tensor_macs_per_us = 140000000, scalar_ops_per_us = 9700000, special_ops_per_us = 2400000,
  latency_ns = 600, barrier_ns = 200, launch_ns = 3000, arrival_ns = 1500, shared_bytes_per_block = 166912, shared_bytes = 167936,
  registers = 65536, registers_per_thread = 255, warps = 64>} {}

// -----

// expected-error@+1 {{expected 'cleave.target' to be a #cleave.target attribute of a module}}
module attributes {cleave.target = "sm_80"} {}
