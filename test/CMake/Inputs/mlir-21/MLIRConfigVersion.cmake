# An MLIR of another major version, as LLVM's own version files answer.
set(PACKAGE_VERSION 21.1.8)
set(PACKAGE_VERSION_COMPATIBLE FALSE)
