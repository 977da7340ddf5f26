// Parses a cleave function from a string, expands its sugar and prints it.
#include "Cleave/Dialect/CleaveDialect.h"
#include "Cleave/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static const char *const text = R"(
#K = #cleave.axes<K>
func.func @silu(%x: tensor<?xf16, #K>) -> tensor<?xf32, #K>
    attributes {cleave.symbols = #cleave.symbols<K: dynamic like 8>} {
  %y = cleave.silu %x : (tensor<?xf16, #K>) -> tensor<?xf32, #K>
  return %y : tensor<?xf32, #K>
}
)";

int main() {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, cleave::CleaveDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager manager(&context);
  manager.addPass(cleave::createCleaveExpandPass());
  if (!module || failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
