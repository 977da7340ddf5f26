// Defines mlir::Operation::erase() as libMLIR.so does.
namespace mlir {
class Operation {
  void erase();
};
void Operation::erase() {}
} // namespace mlir
