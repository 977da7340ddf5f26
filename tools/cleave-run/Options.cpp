//===- Options.cpp - The command line of cleave-run -----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns options into data; what they mean for a function is checked later.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include <cmath>

using namespace mlir;
using namespace mlir::cleave;
namespace cl = llvm::cl;

namespace {

/// The options as typed. Lives as long as LLVM's parser refers to it.
struct CommandLine {
  cl::OptionCategory category{"cleave-run options"};
  cl::opt<std::string> file{cl::Positional, cl::Required, cl::desc("FILE.mlir"),
                            cl::cat(category)};
  cl::opt<std::string> source{
      "source", cl::value_desc("FILE.mlir"), cl::cat(category),
      cl::desc("the cleave function that FILE was compiled from")};
  cl::opt<std::string> entry{"entry", cl::value_desc("NAME"), cl::cat(category),
                             cl::desc("the function (default: the only one)")};
  cl::list<std::string> bind{
      "bind", cl::value_desc("M=16,K=4096"), cl::cat(category),
      cl::desc("extents of axes; each --bind, or part between ';', is a run of "
               "the one compiled program")};
  cl::opt<std::string> representative{
      "representative", cl::value_desc("M=16,..."), cl::cat(category),
      cl::desc("extents that schedules are chosen for")};
  cl::opt<std::string> device{
      "device", cl::value_desc("cpu|evaluator|cuda|emulator"), cl::init("cpu"),
      cl::cat(category), cl::desc("what runs the function")};
  cl::opt<std::string> chip{
      "chip", cl::value_desc("sm_80|sm_90a"), cl::cat(category),
      cl::desc("what to compile for (default: the device)")};
  cl::list<std::string> input{
      "input", cl::value_desc("NAME[:bf16]=FILE.npy"), cl::cat(category),
      cl::desc("an argument's values; others are random")};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::cat(category),
                         cl::desc("of random inputs")};
  cl::list<std::string> scale{
      "scale", cl::value_desc("[NAME=]X"), cl::cat(category),
      cl::desc("standard deviation of random inputs, within cleave.range "
               "(default: fill cleave.range, else 1)")};
  cl::opt<std::string> outputDir{"output-dir", cl::value_desc("DIR"),
                                 cl::cat(category),
                                 cl::desc("write results as NAME.npy")};
  cl::opt<bool> check{"check", cl::cat(category),
                      cl::desc("compare with the f64 evaluator")};
  cl::opt<double> tolerance{"tolerance", cl::init(2e-3), cl::cat(category),
                            cl::desc("largest relative L2 that passes")};
  cl::opt<bool> bench{"bench", cl::cat(category), cl::desc("measure time")};
  cl::opt<bool> dryRun{
      "dry-run", cl::cat(category),
      cl::desc("with --device=cuda and --chip: compile, and print the launches "
               "instead of running them")};
  cl::opt<bool> explain{
      "explain", cl::cat(category),
      cl::desc("print which graph and schedule are chosen, and why, instead of "
               "running it")};
  cl::opt<std::string> tuningTable{
      "tuning-table", cl::value_desc("FILE"), cl::cat(category),
      cl::desc("measured schedules, which go before the model's choice")};
  cl::opt<std::string> tune{
      "tune", cl::ValueOptional, cl::value_desc("FILE"), cl::cat(category),
      cl::desc("measure the model's best schedules on the device, and write "
               "the fastest into a table")};
  cl::opt<unsigned> tuneCount{
      "tune-count", cl::init(8), cl::cat(category),
      cl::desc("schedules of each shape class that --tune measures")};
  cl::opt<std::string> tuneTimes{
      "tune-times", cl::value_desc("FILE"), cl::cat(category),
      cl::desc("take the times of --tune from a file")};
  cl::opt<std::string> emulatorDrop{
      "emulator-drop", cl::value_desc("barrier|wait|branch:N"),
      cl::cat(category), cl::Hidden,
      cl::desc("leave out what has number N (a branch: its condition), to see "
               "whether the emulator notices")};
  cl::opt<bool> emulatorLastFirst{
      "emulator-last-block-first", cl::cat(category), cl::Hidden,
      cl::desc("the emulator runs blocks in the opposite order")};
  cl::opt<std::string> json{"json", cl::value_desc("FILE"), cl::cat(category),
                            cl::desc("write the times of --bench, or with "
                                     "--dry-run the program: cubins and "
                                     "launches")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("print the results' values")};
  cl::opt<unsigned> alternative{
      "alternative", cl::init(0), cl::cat(category),
      cl::desc("region of cleave.alternatives that the evaluator runs")};
  cl::opt<int64_t> foldTile{
      "fold-tile", cl::init(0), cl::cat(category),
      cl::desc("extent of the tiles in which the evaluator runs folds (0: by "
               "their definition)")};
  cl::opt<int64_t> foldParts{"fold-parts", cl::init(1), cl::cat(category),
                             cl::desc("parts that such folds are merged from")};
};

llvm::Expected<Bindings> parseBindings(StringRef text) {
  Bindings bindings;
  SmallVector<StringRef> items;
  text.split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [name, value] = item.split('=');
    int64_t extent;
    if (name.trim().empty() || value.trim().getAsInteger(10, extent) ||
        extent < 0)
      return llvm::createStringError(
          "expected NAME=EXTENT in --bind but got '" + item.str() + "'");
    if (!bindings.emplace(name.trim().str(), extent).second)
      return llvm::createStringError("expected axis '" + name.trim().str() +
                                     "' once in --bind but got it twice");
  }
  return bindings;
}

llvm::Error parseInput(StringRef text,
                       std::map<std::string, InputFile> &inputs) {
  auto [left, path] = text.split('=');
  auto [name, type] = left.split(':');
  if (name.empty() || path.empty())
    return llvm::createStringError("expected NAME=FILE in --input but got '" +
                                   text.str() + "'");
  InputFile file{path.str(), std::nullopt};
  if (!type.empty()) {
    if (type != "bf16")
      return llvm::createStringError("expected type bf16 in --input but got '" +
                                     type.str() + "'");
    file.kind = ElementKind::BF16;
  }
  if (!inputs.emplace(name.str(), file).second)
    return llvm::createStringError("expected one --input for '" + name.str() +
                                   "' but got two");
  return llvm::Error::success();
}

llvm::Error parseScale(StringRef text, std::map<std::string, double> &scales) {
  auto [name, value] = text.contains('=')
                           ? text.split('=')
                           : std::pair<StringRef, StringRef>("", text);
  double scale;
  if (value.getAsDouble(scale) || !std::isfinite(scale) || scale < 0)
    return llvm::createStringError(
        "expected a number of at least 0 in --scale but got '" + text.str() +
        "'");
  scales[name.str()] = scale;
  return llvm::Error::success();
}

llvm::Error parseDrop(StringRef text, EmulatorOptions &options) {
  auto [kind, number] = text.split(':');
  using Drop = EmulatorOptions::Drop;
  options.drop = llvm::StringSwitch<Drop>(kind)
                     .Case("barrier", Drop::Barrier)
                     .Case("wait", Drop::Wait)
                     .Case("branch", Drop::Branch)
                     .Default(Drop::Nothing);
  if (options.drop == Drop::Nothing || number.getAsInteger(10, options.number))
    return llvm::createStringError("expected barrier:N, wait:N or branch:N in "
                                   "--emulator-drop but got '" +
                                   text.str() + "'");
  return llvm::Error::success();
}

llvm::Error checkTune(const RunOptions &options) {
  if (options.tune && options.explain)
    return llvm::createStringError("expected --tune or --explain, not both");
  if (!options.tuneTimes.empty() && (!options.tune || options.dryRun))
    return llvm::createStringError(
        "expected --tune, and no --dry-run, with --tune-times");
  if (!options.tune)
    return llvm::Error::success();
  if (options.tuneCount < 1)
    return llvm::createStringError("expected --tune-count of at least 1");
  if (options.device != "cuda" && options.tuneTimes.empty())
    return llvm::createStringError(
        "expected --device=cuda or --tune-times with --tune");
  if (options.dryRun && (options.json.empty() || !options.tuneFile.empty()))
    return llvm::createStringError(
        "expected --json, and --tune without a file, with --tune --dry-run");
  return llvm::Error::success();
}

llvm::Error checkOptions(const RunOptions &options) {
  if (options.device != "cpu" && options.device != "evaluator" &&
      options.device != "cuda" && options.device != "emulator")
    return llvm::createStringError(
        "expected device cpu, evaluator, cuda or emulator but got '" +
        options.device + "'");
  if (options.bench && options.device == "emulator")
    return llvm::createStringError("expected a device with --bench");
  if (!(options.tolerance >= 0))
    return llvm::createStringError("expected a tolerance of at least 0");
  if (!options.json.empty() && !options.bench && !options.dryRun)
    return llvm::createStringError("expected --bench or --dry-run with --json");
  if (options.dryRun &&
      (options.device != "cuda" || options.check || options.bench ||
       options.print || !options.outputDir.empty()))
    return llvm::createStringError(
        "expected --device=cuda and nothing that needs results with --dry-run");
  if (options.alternative && options.device != "evaluator")
    return llvm::createStringError(
        "expected --device=evaluator with --alternative");
  if (llvm::Error error = checkTune(options))
    return error;
  if (options.foldTile < 0 || options.foldParts < 1)
    return llvm::createStringError("expected --fold-tile of at least 0 and "
                                   "--fold-parts of at least 1");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<RunOptions> mlir::cleave::parseOptions(int argc, char **argv) {
  static CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::ParseCommandLineOptions(argc, argv, "Runs a Cleave function\n");

  RunOptions options;
  options.file = line.file;
  options.source = line.source;
  options.entry = line.entry;
  options.device = line.device;
  options.chip = line.chip;
  options.representative = line.representative;
  options.seed = line.seed;
  options.outputDir = line.outputDir;
  options.check = line.check;
  options.tolerance = line.tolerance;
  options.bench = line.bench;
  options.dryRun = line.dryRun;
  options.json = line.json;
  options.print = line.print;
  options.explain = line.explain;
  options.tuningTable = line.tuningTable;
  options.tune = line.tune.getNumOccurrences();
  options.tuneFile = line.tune;
  options.tuneCount = line.tuneCount;
  options.tuneTimes = line.tuneTimes;
  options.alternative = line.alternative;
  options.foldTile = line.foldTile;
  options.foldParts = line.foldParts;
  for (StringRef text : line.bind) {
    SmallVector<StringRef> parts;
    text.split(parts, ';', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      llvm::Expected<Bindings> bindings = parseBindings(part);
      if (!bindings)
        return bindings.takeError();
      options.runs.push_back(*bindings);
    }
  }
  if (options.runs.empty())
    options.runs.emplace_back();
  for (StringRef text : line.input)
    if (llvm::Error error = parseInput(text, options.inputs))
      return std::move(error);
  for (StringRef text : line.scale)
    if (llvm::Error error = parseScale(text, options.scales))
      return std::move(error);
  options.emulator.lastBlockFirst = line.emulatorLastFirst;
  // A kernel without its conditions may run for ever.
  if (!line.emulatorDrop.empty())
    options.emulator.maxInstructions = 1'000'000;
  if (!line.emulatorDrop.empty())
    if (llvm::Error error = parseDrop(line.emulatorDrop, options.emulator))
      return std::move(error);
  if (llvm::Error error = checkOptions(options))
    return std::move(error);
  return options;
}

std::string mlir::cleave::toString(const Bindings &bindings) {
  std::string text;
  for (const auto &[name, extent] : bindings)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}
