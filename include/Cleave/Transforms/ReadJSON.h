//===- ReadJSON.h - JSON files with located errors --------------*- C++ -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_TRANSFORMS_READJSON_H
#define CLEAVE_TRANSFORMS_READJSON_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace mlir::cleave {

/// The text of a file; emits an error at it if there is none.
FailureOr<std::string> readText(StringRef path, MLIRContext *context);

/// Emits the error of parsing the file, at the place that it names.
LogicalResult emitJSONError(llvm::Error error, StringRef path,
                            MLIRContext *context);

/// What a JSON file says, by `fromJSON`. `name` is what errors call the whole.
/// Emits an error at the place in the file that is not as it should be.
template <typename T>
FailureOr<T> readJSON(StringRef path, const char *name, MLIRContext *context) {
  FailureOr<std::string> text = readText(path, context);
  if (failed(text))
    return failure();
  llvm::Expected<T> value = llvm::json::parse<T>(*text, name);
  if (!value)
    return emitJSONError(value.takeError(), path, context);
  return std::move(*value);
}

} // namespace mlir::cleave

#endif // CLEAVE_TRANSFORMS_READJSON_H
