//===- Options.h - The command line of cleave-run ---------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TOOLS_CLEAVE_RUN_OPTIONS_H
#define CLEAVE_TOOLS_CLEAVE_RUN_OPTIONS_H

#include "Cleave/Dialect/SymbolicDim.h"
#include "Cleave/Emulator/Emulator.h"
#include "Cleave/Runtime/HostArray.h"
#include "llvm/Support/Error.h"
#include <map>

namespace mlir::cleave {

struct InputFile {
  std::string path;
  /// Read the elements as this type: bf16 travels as uint16.
  std::optional<ElementKind> kind;
};

struct RunOptions {
  std::string file;
  std::string source;
  std::string entry;
  std::string device = "cpu";
  std::string chip;
  std::string representative;
  /// One run each; at least one.
  std::vector<Bindings> runs;
  std::map<std::string, InputFile> inputs;
  uint64_t seed = 0;
  /// Standard deviations of random inputs; the one for "" holds for all.
  std::map<std::string, double> scales;
  std::string outputDir;
  bool check = false;
  double tolerance = 2e-3;
  bool bench = false;
  bool dryRun = false;
  EmulatorOptions emulator;
  std::string json;
  bool print = false;
  /// A table of measured schedules to compile by.
  std::string tuningTable;
  /// Print why it runs as it does, instead of running it.
  bool explain = false;
  /// Measure schedules, and write the table of that name if it has one.
  bool tune = false;
  std::string tuneFile;
  unsigned tuneCount = 8;
  /// A file of times instead of a device's.
  std::string tuneTimes;
  unsigned alternative = 0;
  int64_t foldTile = 0;
  int64_t foldParts = 1;
  /// Of LLVM, on the CPU.
  unsigned optLevel = 2;
};

/// Reads the command line; exits on --help and on unknown options.
llvm::Expected<RunOptions> parseOptions(int argc, char **argv);

/// "M=16,K=4096", or "" without any.
std::string toString(const Bindings &bindings);

} // namespace mlir::cleave

#endif // CLEAVE_TOOLS_CLEAVE_RUN_OPTIONS_H
