#include "llvm/ADT/Statistic.h"
static llvm::cl::opt<int> bad("bad");
const char *path = "/home/user/x";
