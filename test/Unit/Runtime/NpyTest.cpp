//===- NpyTest.cpp - Reading and writing .npy -----------------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir::cleave;

namespace {

/// A version 1 file with this dictionary and these bytes behind it.
std::string makeFile(std::string dictionary, std::string data) {
  dictionary += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += char(dictionary.size() & 0xff);
  file += char(dictionary.size() >> 8);
  return file + dictionary + data;
}

std::string errorOf(llvm::StringRef contents) {
  llvm::Expected<HostArray> array = parseNpy(contents);
  return array ? "" : llvm::toString(array.takeError());
}

TEST(Npy, WritesWhatItReads) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::F32, ElementKind::F64,
                           ElementKind::I8, ElementKind::I64}) {
    llvm::SmallString<64> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("cleave", "npy", path));
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{}, {0, 3}, {5}, {2, 3, 1}}) {
      HostArray array(kind, shape);
      std::vector<double> values(array.size());
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = double(i) - 2;
      array.assign(values);
      ASSERT_FALSE(bool(writeNpy(path, array)));
      llvm::Expected<HostArray> read = readNpy(path);
      ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
      EXPECT_EQ(read->describe(), array.describe());
      EXPECT_EQ(read->bytes(), array.bytes());
    }
    llvm::sys::fs::remove(path);
  }
}

TEST(Npy, ConvertsFortranOrder) {
  llvm::Expected<HostArray> array = parseNpy(
      makeFile("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
               std::string("\x00\x03\x01\x04\x02\x05", 6)));
  ASSERT_TRUE(bool(array));
  std::vector<double> values(6);
  array->copyTo(values);
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(Npy, NamesEveryFault) {
  std::string good =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(errorOf(makeFile(good, "12345678")), "");
  EXPECT_EQ(errorOf("PK\x03\x04"), "not an .npy file");
  EXPECT_EQ(errorOf(makeFile(good, "1234567")),
            "expected 8 bytes of data for 2xf32 but got 7");
  EXPECT_EQ(errorOf(makeFile(good, "123456789")),
            "expected 8 bytes of data for 2xf32 but got 9");
  EXPECT_EQ(errorOf(llvm::StringRef(makeFile(good, "")).take_front(30)),
            "the header is truncated");
  EXPECT_EQ(errorOf(makeFile("{'descr': '>f4', 'fortran_order': False, "
                             "'shape': (2,), }",
                             "12345678")),
            "unsupported element type '>f4'");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f4', 'shape': (2,), }", "12345678")),
            "expected the keys 'descr', 'fortran_order' and 'shape' in the "
            "header");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (-2,), }",
                             "")),
            "expected extents in 'shape' but got '-2'");
  EXPECT_EQ(errorOf(makeFile("{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (9999999999, 9999999999), }",
                             "")),
            "'shape' is too large");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x09\x00\x00\x00", 10)),
            "unsupported .npy version 9");
}

} // namespace
