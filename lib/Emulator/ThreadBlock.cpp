//===- ThreadBlock.cpp - Runs a block of threads --------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread runs until it has to meet others. An error ends the block.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::cleave;
using namespace mlir::cleave::emulator;

ThreadBlock::ThreadBlock(const Kernel &kernel, DeviceMemory &device,
                         std::array<int64_t, 3> gridSize,
                         std::array<int64_t, 3> blockSize,
                         int64_t dynamicSharedBytes, uint64_t maxInstructions)
    : kernel(kernel), device(device), gridSize(gridSize), blockSize(blockSize),
      sharedBytes(kernel.sharedBytes + dynamicSharedBytes),
      maxInstructions(maxInstructions),
      threads(blockSize[0] * blockSize[1] * blockSize[2]) {}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void ThreadBlock::runThread(Thread &thread) {
  while (!thread.done && error.empty()) {
    const Instruction &instruction = at(thread);
    switch (instruction.kind) {
    case Instruction::Kind::Compute:
      instruction.run(thread, *this);
      ++thread.next;
      break;
    case Instruction::Kind::Branch:
      instruction.run(thread, *this);
      break;
    case Instruction::Kind::Return:
      thread.done = true;
      break;
    case Instruction::Kind::Barrier:
    case Instruction::Kind::Collective:
      return;
    }
    if (++thread.instructions > maxInstructions)
      return fail(thread, "runs without end");
  }
}

/// Whether all threads of `group` wait at one instruction of `kind`.
bool ThreadBlock::meet(MutableArrayRef<Thread> group, Instruction::Kind kind) {
  size_t next = group.front().next;
  return llvm::all_of(group, [&](const Thread &thread) {
    return !thread.done && thread.next == next && at(thread).kind == kind;
  });
}

void ThreadBlock::runWarp(MutableArrayRef<Thread> warp) {
  while (error.empty()) {
    for (Thread &thread : warp)
      runThread(thread);
    if (!error.empty() || llvm::none_of(warp, [&](const Thread &thread) {
          return !thread.done &&
                 at(thread).kind == Instruction::Kind::Collective;
        }))
      return;
    if (!meet(warp, Instruction::Kind::Collective))
      return fail(*llvm::find_if(warp,
                                 [&](const Thread &thread) {
                                   return !thread.done &&
                                          at(thread).kind ==
                                              Instruction::Kind::Collective;
                                 }),
                  "waits for threads of its warp that do not come");
    at(warp.front()).runTogether(warp, *this);
    for (Thread &thread : warp)
      ++thread.next;
  }
}

llvm::Error ThreadBlock::run(std::array<int64_t, 3> blockNumber,
                             ArrayRef<uint64_t> params) {
  number = blockNumber;
  shared = std::make_unique<SharedMemory>(sharedBytes);
  for (auto [id, thread] : llvm::enumerate(threads)) {
    thread = Thread();
    thread.frame = kernel.frame;
    thread.moment = {static_cast<uint32_t>(id), 1, 1};
    for (auto [slot, param] : llvm::zip_equal(kernel.arguments, params))
      thread.frame[slot] = param;
  }
  MutableArrayRef<Thread> all(threads);
  while (error.empty()) {
    for (size_t first = 0; first < threads.size(); first += kLanes)
      runWarp(
          all.slice(first, std::min<size_t>(kLanes, threads.size() - first)));
    if (!error.empty() ||
        llvm::all_of(threads, [](const Thread &thread) { return thread.done; }))
      break;
    if (!meet(all, Instruction::Kind::Barrier)) {
      fail(*llvm::find_if(threads,
                          [](const Thread &thread) { return !thread.done; }),
           "waits at a barrier that other threads do not reach");
      break;
    }
    if (const auto &vote = at(threads.front()).runTogether)
      vote(all, *this);
    for (Thread &thread : threads) {
      ++thread.next;
      ++thread.moment.blockEpoch;
    }
  }
  if (error.empty())
    return llvm::Error::success();
  return llvm::createStringError(error);
}

//===----------------------------------------------------------------------===//
// What instructions do
//===----------------------------------------------------------------------===//

void ThreadBlock::fail(const Thread &thread, const Twine &what) {
  if (!error.empty())
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs().useLocalScope();
  at(thread).op->print(os, flags);
  error = ("block " + Twine(number[0]) + ", thread " +
           Twine(thread.moment.thread) + " " + what + ", at '" + text + "'")
              .str();
}

void ThreadBlock::load(const Thread &thread, uint64_t address,
                       MutableArrayRef<char> to) {
  if (address >= kSharedBase) {
    if (llvm::Error bad =
            shared->load(address - kSharedBase, to, thread.moment))
      fail(thread, llvm::toString(std::move(bad)));
    return;
  }
  llvm::Expected<char *> from =
      device.read(address, int64_t(to.size()), thread.moment);
  if (!from)
    return fail(thread, llvm::toString(from.takeError()));
  std::memcpy(to.data(), *from, to.size());
}

void ThreadBlock::store(const Thread &thread, uint64_t address,
                        ArrayRef<char> from) {
  if (address >= kSharedBase) {
    if (llvm::Error bad =
            shared->store(address - kSharedBase, from, thread.moment))
      fail(thread, llvm::toString(std::move(bad)));
    return;
  }
  llvm::Expected<char *> to =
      device.write(address, int64_t(from.size()), thread.moment);
  if (!to)
    return fail(thread, llvm::toString(to.takeError()));
  std::memcpy(*to, from.data(), from.size());
}

Word ThreadBlock::updateAtomically(const Thread &thread, uint64_t address,
                                   unsigned bytes,
                                   llvm::function_ref<Word(Word)> update) {
  if (address >= kSharedBase) {
    fail(thread, "updates shared memory atomically, which is not supported");
    return 0;
  }
  llvm::Expected<char *> memory = device.update(address, bytes);
  if (!memory) {
    fail(thread, llvm::toString(memory.takeError()));
    return 0;
  }
  Word old = 0;
  std::memcpy(&old, *memory, bytes);
  Word updated = update(old);
  std::memcpy(*memory, &updated, bytes);
  return old;
}

void ThreadBlock::startCopy(Thread &thread, AsyncCopy copy) {
  if (copy.to < kSharedBase)
    return fail(thread, "copies to an address outside of shared memory");
  // Only what is read has to be there.
  if (copy.taken)
    if (llvm::Expected<char *> from =
            device.read(copy.from, copy.taken, thread.moment);
        !from)
      return fail(thread, llvm::toString(from.takeError()));
  if (llvm::Error bad =
          shared->startCopy(copy.to - kSharedBase, copy.bytes, thread.moment))
    return fail(thread, llvm::toString(std::move(bad)));
  thread.open.push_back(copy);
}

void ThreadBlock::waitForCopies(Thread &thread, size_t left) {
  for (; thread.groups.size() > left; thread.groups.pop_front())
    for (const AsyncCopy &copy : thread.groups.front()) {
      std::vector<char> data(copy.bytes, 0);
      std::memcpy(data.data(), reinterpret_cast<const char *>(copy.from),
                  copy.taken);
      shared->finishCopy(copy.to - kSharedBase, data, thread.moment);
    }
}
