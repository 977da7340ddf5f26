// NVIDIA H200. Memory, tensor cores and launches as docs/performance.md has them measured: copies at 4.28 TB/s, reads at 4.39; mma.sync
// alone 606 to 637 TFLOP/s, of which kernels get about 80 % (a multiply-add is two operations); barrier, latency and launch are fitted.
module attributes {cleave.target = #cleave.target<
  chip = "sm_90a", multiprocessors = 132,
  memory_bytes_per_us = 4600000, cache_bytes_per_us = 6200000, cached_bytes = 30000000,
  shared_bytes_per_us = 30000000,
  tensor_macs_per_us = 276000000, scalar_ops_per_us = 30000000, special_ops_per_us = 4000000,
  latency_ns = 700, barrier_ns = 200, launch_ns = 600, arrival_ns = 1500,
  shared_bytes_per_block = 232448, shared_bytes = 233472,
  registers = 65536, registers_per_thread = 255, warps = 64>} {}
