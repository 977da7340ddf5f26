//===- VectorizeTiles.cpp - Kernels in the host form ----------------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Stage: scheduled form to vector form. Here functions become the host form
// and each kernel's gpu.func is made; TileVectorizer converts its body.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Conversion/Passes.h"
#include "Cleave/Conversion/TileDialect.h"
#include "KernelInfo.h"
#include "TensorViews.h"
#include "TileVectorizer.h"

#include "Cleave/Dialect/CleaveDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <string>

namespace mlir::cleave {
#define GEN_PASS_DEF_VECTORIZETILESPASS
#include "Cleave/Conversion/Passes.h.inc"
} // namespace mlir::cleave

using namespace mlir;
using namespace mlir::cleave;

static constexpr int64_t kLanes = 32;
static constexpr int64_t kDefaultWarps = 4;

namespace {
/// One kernel under construction.
struct Kernel {
  gpu::GPUFuncOp func;
  SmallVector<Value> operands;
  /// The forall that the grid comes from, and the blocks along its dimensions.
  scf::ForallOp forall;
  SmallVector<Value> counts;
  /// In the kernel: the block's position along each of them.
  SmallVector<Value> positions;
  bool isJoined = false;
};

/// Converts one function in the scheduled form.
class HostConverter {
public:
  HostConverter(func::FuncOp func, SymbolTable &symbols)
      : func(func), symbols(symbols), b(func),
        kernelPrefix(func.getName().str()) {}

  LogicalResult run();

private:
  LogicalResult checkSignature();
  void createHost();
  LogicalResult addDestinations();
  LogicalResult addDestination(Value value, unsigned number);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertIf(scf::IfOp branch);
  LogicalResult convertForall(scf::ForallOp forall);
  void assignBuffers(scf::ForallOp forall);
  LogicalResult checkForall(scf::ForallOp forall);
  LogicalResult checkInPlace(scf::ForallOp forall);
  bool isAlias(BlockArgument argument, Value out);
  LogicalResult checkJoin(scf::ForallOp forall, ArrayRef<int64_t> dims);

  void beginKernel(scf::ForallOp forall);
  LogicalResult addToKernel(scf::ForallOp forall, ArrayRef<int64_t> dims);
  void endKernel();
  void createPositions(OpBuilder &kb);
  void createArrival(scf::ForallOp forall, ArrayRef<int64_t> dims,
                     OpBuilder &kb);
  LogicalResult mapCaptures(scf::ForallOp forall, TileVectorizer &vectorizer,
                            OpBuilder &kb);
  FailureOr<Value> mapCapturedScalar(Value value, OpBuilder &kb);
  SmallVector<Value> createCounts(scf::ForallOp forall);
  Value getIndex(Location loc, OpFoldResult ofr) {
    if (auto value = dyn_cast<Value>(ofr))
      return hostMap.lookup(value);
    return arith::ConstantIndexOp::create(b, loc, *getConstantIntValue(ofr));
  }

  /// A tensor's memory in a kernel, with the tensor's dimensions.
  FailureOr<Value> getMemory(Value tensor, OpBuilder &kb);
  /// `memref` with the tensor's dimensions, which are groups of its own or made
  /// of those.
  FailureOr<Value> createView(Value tensor, Value memref,
                              ArrayRef<ReassociationIndices> groups,
                              OpBuilder &kb);
  /// The kernel's argument for a host value; made on first use.
  Value getKernelArgument(Value hostValue);
  /// The same for an index, which may be a constant.
  Value getKernelIndex(Value hostValue, OpBuilder &kb);
  Value createProduct(Location loc, ArrayRef<Value> factors);

  func::FuncOp func;
  SymbolTable &symbols;
  OpBuilder b;
  func::FuncOp host;
  gpu::GPUModuleOp module;
  IRMapping hostMap;
  /// The out arguments of kernels' results that the function returns.
  DenseMap<Value, Value> destinations;
  /// By a kernel's result that the function returns as a view, and by views on
  /// the way, the next one.
  DenseMap<Value, Value> returnedViews;
  /// What kernels are called; in a branch, by its condition.
  std::string kernelPrefix;
  std::map<std::string, unsigned> numKernels;

  // The kernel that is being made, if it has a function.
  Kernel kernel;
  DenseMap<Value, Value> kernelArguments;
  IRMapping kernelScalars;
};
} // namespace

LogicalResult HostConverter::checkSignature() {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected a function of one block");
  for (Type type : func.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError("expected ranked tensor results but got ")
             << type;
  for (Type type : func.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError("expected ranked tensor arguments but got ")
             << type;
  return success();
}

/// Makes the function of memrefs beside the one of tensors, and its module.
void HostConverter::createHost() {
  MLIRContext *context = func.getContext();
  auto toMemRef = [](Type type) -> Type { return getMemRefType(type); };
  SmallVector<Type> types =
      llvm::map_to_vector(func.getArgumentTypes(), toMemRef);
  llvm::append_range(types, llvm::map_range(func.getResultTypes(), toMemRef));
  host = func::FuncOp::create(b, func.getLoc(), func.getName(),
                              FunctionType::get(context, types, {}));
  for (NamedAttribute attr : func->getDiscardableAttrs())
    host->setAttr(attr.getName(), attr.getValue());
  host.setVisibility(func.getVisibility());
  unsigned numArgs = func.getNumArguments();
  for (unsigned arg = 0; arg < numArgs; ++arg)
    host.setArgAttrs(arg, func.getArgAttrDict(arg));
  for (unsigned result = 0; result < func.getNumResults(); ++result) {
    NamedAttrList attrs(func.getResultAttrDict(result));
    attrs.set("cleave.result", b.getI64IntegerAttr(result));
    host.setArgAttrs(numArgs + result, attrs.getDictionary(context));
  }

  Block *entry = host.addEntryBlock();
  for (auto [arg, newArg] : llvm::zip(
           func.getArguments(), entry->getArguments().take_front(numArgs)))
    hostMap.map(arg, newArg);
  module = gpu::GPUModuleOp::create(b, func.getLoc(),
                                    (func.getName() + "_kernels").str());
  b.setInsertionPointToStart(entry);
}

LogicalResult HostConverter::checkForall(scf::ForallOp forall) {
  for (OpFoldResult bound : forall.getMixedLowerBound())
    if (getConstantIntValue(bound) != 0)
      return forall.emitOpError("expected lower bounds of 0");
  for (OpFoldResult step : forall.getMixedStep())
    if (std::optional<int64_t> value = getConstantIntValue(step);
        !value || *value <= 0)
      return forall.emitOpError("expected constant positive steps");
  for (Value init : forall.getOutputs())
    if (!isa<BlockArgument>(lookThroughViews(init)) &&
        !init.getDefiningOp<tensor::EmptyOp>())
      return forall.emitOpError("expected shared outputs to start from "
                                "tensor.empty or a function argument");
  if (failed(checkInPlace(forall)))
    return failure();
  auto warps = forall->getAttrOfType<IntegerAttr>(kWarpsAttrName);
  if (warps && (warps.getInt() < 1 || warps.getInt() > 32 ||
                !llvm::isPowerOf2_64(warps.getInt())))
    return forall.emitOpError("expected cleave.warps to be a power of two from "
                              "1 to 32 but got ")
           << warps.getInt();
  if (Attribute attr = forall->getAttr(kBackwardsAttrName)) {
    auto dims = dyn_cast<DenseI64ArrayAttr>(attr);
    if (!dims || llvm::any_of(dims.asArrayRef(), [&](int64_t dim) {
          return dim < 0 || dim >= forall.getRank();
        }))
      return forall.emitOpError("expected '")
             << kBackwardsAttrName << "' to list dimensions of the grid";
  }
  return success();
}

/// Whether the type says that a tensor has no elements.
static bool isNothing(Type type) {
  return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0);
}

/// The kernels' results that result `number` of the function may be: several
/// where branches yield it, none where nothing has to be written.
LogicalResult HostConverter::addDestination(Value value, unsigned number) {
  Value result = lookThroughViews(value);
  if (auto branch = result.getDefiningOp<scf::IfOp>()) {
    unsigned place = cast<OpResult>(result).getResultNumber();
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      if (failed(addDestination(block->getTerminator()->getOperand(place),
                                number)))
        return failure();
    return success();
  }
  auto forall = result.getDefiningOp<scf::ForallOp>();
  Value out = host.getArgument(func.getNumArguments() + number);
  if (!forall && isNothing(result.getType())) {
    hostMap.map(value, out);
    return success();
  }
  if (!forall)
    return func.getBody().front().getTerminator()->emitOpError(
               "expected result #")
           << number << " to be a kernel's result";
  if (!destinations.try_emplace(result, out).second)
    return forall.emitOpError("expected no result to be returned twice");
  for (Value view = value; view != result; view = getViewed(view))
    returnedViews[getViewed(view)] = view;
  hostMap.map(value, out);
  return success();
}

LogicalResult HostConverter::addDestinations() {
  Operation *terminator = func.getBody().front().getTerminator();
  for (auto [number, returned] : llvm::enumerate(terminator->getOperands()))
    if (failed(addDestination(returned, number)))
      return failure();
  return success();
}

/// Whether out argument `out` has the memory of `argument`.
bool HostConverter::isAlias(BlockArgument argument, Value out) {
  auto result = cast<BlockArgument>(out);
  auto name = host.getArgAttrOfType<StringAttr>(result.getArgNumber(),
                                                CleaveDialect::kAliasAttrName);
  return name && name == func.getArgAttr(argument.getArgNumber(),
                                         CleaveDialect::kNameAttrName);
}

/// What starts from an argument is a result that has its memory.
LogicalResult HostConverter::checkInPlace(scf::ForallOp forall) {
  for (auto [result, init] :
       llvm::zip(forall.getResults(), forall.getOutputs())) {
    auto argument = dyn_cast<BlockArgument>(lookThroughViews(init));
    Value out = destinations.lookup(result);
    if (argument && (!out || !isAlias(argument, out)))
      return forall.emitOpError("expected a kernel's result that starts from "
                                "an argument to be returned with '")
             << CleaveDialect::kAliasAttrName << "'";
  }
  return success();
}

/// Gives each result of the kernel its memref: the out argument if the function
/// returns it, else one of its own.
void HostConverter::assignBuffers(scf::ForallOp forall) {
  for (auto [result, init] :
       llvm::zip(forall.getResults(), forall.getOutputs())) {
    Value buffer = destinations.lookup(result);
    if (!buffer) {
      SmallVector<Value> sizes;
      for (Value size : init.getDefiningOp<tensor::EmptyOp>().getDynamicSizes())
        sizes.push_back(hostMap.lookup(size));
      buffer = memref::AllocOp::create(b, forall.getLoc(),
                                       getMemRefType(init.getType()), sizes);
    }
    if (!returnedViews.count(result))
      hostMap.map(result, buffer);
  }
}

/// The number of blocks along each dimension.
SmallVector<Value> HostConverter::createCounts(scf::ForallOp forall) {
  Location loc = forall.getLoc();
  SmallVector<Value> counts;
  for (auto [bound, step] :
       llvm::zip(forall.getMixedUpperBound(), forall.getMixedStep())) {
    int64_t tile = *getConstantIntValue(step);
    if (std::optional<int64_t> extent = getConstantIntValue(bound)) {
      int64_t count =
          llvm::divideCeilSigned(std::max<int64_t>(*extent, 0), tile);
      counts.push_back(arith::ConstantIndexOp::create(b, loc, count));
      continue;
    }
    counts.push_back(
        arith::CeilDivUIOp::create(b, loc, getIndex(loc, bound),
                                   arith::ConstantIndexOp::create(b, loc, tile))
            .getResult());
  }
  return counts;
}

Value HostConverter::getKernelArgument(Value hostValue) {
  Value &argument = kernelArguments[hostValue];
  if (argument)
    return argument;
  unsigned number = kernel.operands.size();
  kernel.operands.push_back(hostValue);
  (void)kernel.func.insertArgument(number, hostValue.getType(), {},
                                   hostValue.getLoc());
  return argument = kernel.func.getArgument(number);
}

Value HostConverter::getKernelIndex(Value hostValue, OpBuilder &kb) {
  Attribute constant;
  if (!matchPattern(hostValue, m_Constant(&constant)))
    return getKernelArgument(hostValue);
  return arith::ConstantIndexOp::create(kb, hostValue.getLoc(),
                                        cast<IntegerAttr>(constant).getInt());
}

Value HostConverter::createProduct(Location loc, ArrayRef<Value> factors) {
  Value product;
  for (Value factor : factors)
    product =
        product ? b.createOrFold<arith::MulIOp>(loc, product, factor) : factor;
  return product ? product : arith::ConstantIndexOp::create(b, loc, 1);
}

/// Recovers the block's position from its linear number. The grid has less than
/// 2^31 blocks, so 32 bits are enough, and faster to divide.
void HostConverter::createPositions(OpBuilder &kb) {
  Location loc = kernel.func.getLoc();
  ArrayRef<Value> counts = kernel.counts;
  kernel.positions.resize(counts.size());
  auto backwards =
      kernel.func->getAttrOfType<DenseI64ArrayAttr>(kBackwardsAttrName);
  Value id = gpu::BlockIdOp::create(kb, loc, gpu::Dimension::x);
  if (counts.size() > 1)
    id = arith::IndexCastUIOp::create(kb, loc, kb.getI32Type(), id);
  for (int64_t dim = counts.size() - 1; dim >= 0; --dim) {
    Value position = id;
    if (dim > 0) {
      Value count = arith::IndexCastUIOp::create(
          kb, loc, kb.getI32Type(), getKernelIndex(counts[dim], kb));
      position = arith::RemUIOp::create(kb, loc, id, count);
      id = arith::DivUIOp::create(kb, loc, id, count);
    }
    if (counts.size() > 1)
      position =
          arith::IndexCastUIOp::create(kb, loc, kb.getIndexType(), position);
    if (backwards && llvm::is_contained(backwards.asArrayRef(), dim)) {
      Value last =
          arith::SubIOp::create(kb, loc, getKernelIndex(counts[dim], kb),
                                arith::ConstantIndexOp::create(kb, loc, 1));
      position = arith::SubIOp::create(kb, loc, last, position);
    }
    kernel.positions[dim] = position;
  }
}

/// All blocks but the last that arrives at its tile of `forall` end here.
void HostConverter::createArrival(scf::ForallOp forall, ArrayRef<int64_t> dims,
                                  OpBuilder &kb) {
  Location loc = forall.getLoc();
  SmallVector<Value> tileCounts, others;
  for (int64_t dim : dims)
    tileCounts.push_back(kernel.counts[dim]);
  for (auto [dim, count] : llvm::enumerate(kernel.counts))
    if (!llvm::is_contained(dims, int64_t(dim)))
      others.push_back(count);
  Value tile;
  for (auto [dim, count] : llvm::zip_equal(dims, tileCounts)) {
    Value position = kernel.positions[dim];
    if (tile)
      position = arith::AddIOp::create(
          kb, loc,
          arith::MulIOp::create(kb, loc, tile, getKernelIndex(count, kb)),
          position);
    tile = position;
  }
  if (!tile)
    tile = arith::ConstantIndexOp::create(kb, loc, 0);
  Value size = createProduct(loc, tileCounts);
  std::optional<int64_t> known = getConstantIntValue(size);
  auto counters = memref::AllocOp::create(
      b, loc,
      MemRefType::get({known.value_or(ShapedType::kDynamic)}, b.getI32Type()),
      known ? ValueRange() : ValueRange(size));
  counters->setAttr(kZerosAttrName, b.getUnitAttr());
  auto stages = forall->getAttrOfType<IntegerAttr>("cleave.stages");
  tile::ArriveOp::create(kb, loc, getKernelArgument(counters), tile,
                         getKernelIndex(createProduct(loc, others), kb),
                         stages ? stages.getInt() : 1);
}

/// Makes a scalar from outside known in the kernel: constants and arithmetic on
/// anything but indices is done again there, indices are passed.
FailureOr<Value> HostConverter::mapCapturedScalar(Value value, OpBuilder &kb) {
  if (Value known = kernelScalars.lookupOrNull(value))
    return known;
  Operation *def = value.getDefiningOp();
  bool constant = def && def->hasTrait<OpTrait::ConstantLike>();
  if (value.getType().isIndex() && !constant) {
    Value argument = getKernelArgument(hostMap.lookup(value));
    kernelScalars.map(value, argument);
    return argument;
  }
  if (!def || !isPure(def) || def->getNumRegions())
    return emitError(value.getLoc(), "expected a scalar that a kernel can "
                                     "compute from index values");
  for (Value operand : def->getOperands())
    if (failed(mapCapturedScalar(operand, kb)))
      return failure();
  kb.clone(*def, kernelScalars);
  return kernelScalars.lookup(value);
}

LogicalResult HostConverter::mapCaptures(scf::ForallOp forall,
                                         TileVectorizer &vectorizer,
                                         OpBuilder &kb) {
  SetVector<Value> captures;
  getUsedValuesDefinedAbove(forall.getRegion(), captures);
  for (Value value : captures) {
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
      for (Value size : empty.getDynamicSizes()) {
        FailureOr<Value> scalar = mapCapturedScalar(size, kb);
        if (failed(scalar))
          return failure();
        vectorizer.mapScalar(size, *scalar);
      }
      vectorizer.mapEmpty(empty);
      continue;
    }
    if (isa<RankedTensorType>(value.getType())) {
      FailureOr<Value> memref = getMemory(value, kb);
      if (failed(memref))
        return forall.emitOpError("expected tensors that a kernel reads to be "
                                  "function arguments or earlier kernels' "
                                  "results");
      vectorizer.mapInput(value, *memref);
      continue;
    }
    FailureOr<Value> scalar = mapCapturedScalar(value, kb);
    if (failed(scalar))
      return failure();
    vectorizer.mapScalar(value, *scalar);
  }
  for (auto [out, result] :
       llvm::zip(forall.getRegionIterArgs(), forall.getResults()))
    vectorizer.mapOutput(out, *getMemory(result, kb));
  return success();
}

FailureOr<Value> HostConverter::getMemory(Value tensor, OpBuilder &kb) {
  if (Value memref = hostMap.lookupOrNull(tensor))
    return getKernelArgument(memref);
  if (Value same = getUndone(tensor))
    return getMemory(same, kb);
  // Of what is returned as a view, the view has the memory.
  Value view = returnedViews.lookup(tensor);
  Value known = view ? view : getViewed(tensor);
  if (!known)
    return failure();
  FailureOr<Value> memref = getMemory(known, kb);
  Operation *step = view ? view.getDefiningOp() : tensor.getDefiningOp();
  if (failed(memref) || isa<tensor::CastOp>(step))
    return memref;
  return createView(tensor, *memref, getGroups(step), kb);
}

FailureOr<Value>
HostConverter::createView(Value tensor, Value memref,
                          ArrayRef<ReassociationIndices> groups,
                          OpBuilder &kb) {
  SmallVector<Value> sizes;
  if (takesSizes(tensor, memref, groups)) {
    std::optional<ValueRange> made = getDynamicSizes(tensor);
    if (!made)
      return failure();
    for (Value size : *made) {
      FailureOr<Value> scalar = mapCapturedScalar(size, kb);
      if (failed(scalar))
        return failure();
      sizes.push_back(*scalar);
    }
  }
  return cleave::createView(kb, tensor, memref, groups, sizes);
}

/// Gives each accumulator a value of its own: two that CSE made one would tie
/// the dimensions of unrelated tiles together.
static void separateInits(scf::ForallOp forall) {
  SmallVector<Operation *> inits;
  forall.getBody()->walk([&](Operation *op) {
    if (isa<linalg::FillOp, tensor::EmptyOp>(op))
      inits.push_back(op);
  });
  // A fill stands behind what it fills.
  for (Operation *op : llvm::reverse(inits)) {
    OpBuilder b(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1))
      use->set(b.clone(*op)->getResult(0));
  }
}

void HostConverter::beginKernel(scf::ForallOp forall) {
  Location loc = forall.getLoc();
  auto warpsAttr = forall->getAttrOfType<IntegerAttr>(kWarpsAttrName);
  int64_t warps = warpsAttr ? warpsAttr.getInt() : kDefaultWarps;
  OpBuilder kb = OpBuilder::atBlockEnd(module.getBody());
  std::string name =
      kernelPrefix + "_" + std::to_string(numKernels[kernelPrefix]++);
  kernel = {};
  kernelArguments.clear();
  kernelScalars.clear();
  kernel.forall = forall;
  kernel.counts = createCounts(forall);
  kernel.func =
      gpu::GPUFuncOp::create(kb, loc, name, kb.getFunctionType({}, {}));
  kernel.func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                       kb.getUnitAttr());
  kernel.func.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(warps * kLanes), 1, 1});
  for (NamedAttribute attr : forall->getDiscardableAttrs())
    kernel.func->setAttr(attr.getName(), attr.getValue());
  kernel.func->setAttr(kWarpsAttrName, kb.getI64IntegerAttr(warps));
}

/// The body of `forall`, whose dimensions are those `dims` of the grid.
LogicalResult HostConverter::addToKernel(scf::ForallOp forall,
                                         ArrayRef<int64_t> dims) {
  separateInits(forall);
  TileShapes shapes;
  if (failed(shapes.analyze(forall, *getKernelWarps(kernel.func) * kLanes)))
    return failure();
  OpBuilder kb = OpBuilder::atBlockEnd(&kernel.func.getBody().front());
  TileVectorizer vectorizer(kb, shapes);
  if (failed(mapCaptures(forall, vectorizer, kb)))
    return failure();
  if (!kernel.isJoined)
    createPositions(kb);
  for (auto [iv, step, dim] : llvm::zip_equal(forall.getInductionVars(),
                                              forall.getMixedStep(), dims)) {
    Value tile = arith::ConstantIndexOp::create(kb, forall.getLoc(),
                                                *getConstantIntValue(step));
    vectorizer.mapScalar(iv,
                         arith::MulIOp::create(kb, forall.getLoc(),
                                               kernel.positions[dim], tile));
  }
  return vectorizer.run(forall);
}

/// The kernel before `made` in its module that does the same, or `made`.
static gpu::GPUFuncOp findEqualKernel(gpu::GPUFuncOp made) {
  auto getAttrs = [](gpu::GPUFuncOp kernel) {
    NamedAttrList attrs(kernel->getAttrDictionary());
    attrs.erase(SymbolTable::getSymbolAttrName());
    return attrs.getDictionary(kernel.getContext());
  };
  for (auto kernel :
       made->getParentOfType<gpu::GPUModuleOp>().getOps<gpu::GPUFuncOp>())
    if (kernel != made && getAttrs(kernel) == getAttrs(made) &&
        OperationEquivalence::isRegionEquivalentTo(
            &kernel.getBody(), &made.getBody(),
            OperationEquivalence::IgnoreLocations))
      return kernel;
  return made;
}

/// Launches the kernel that is being made, if there is one.
void HostConverter::endKernel() {
  if (!kernel.func)
    return;
  Location loc = kernel.func.getLoc();
  OpBuilder kb = OpBuilder::atBlockEnd(&kernel.func.getBody().front());
  gpu::ReturnOp::create(kb, loc);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value threads = arith::ConstantIndexOp::create(
      b, loc, kernel.func.getKnownBlockSize()->front());
  gpu::GPUFuncOp equal = findEqualKernel(kernel.func);
  gpu::LaunchFuncOp::create(b, loc, equal,
                            {createProduct(loc, kernel.counts), one, one},
                            {threads, one, one}, Value(), kernel.operands);
  if (equal != kernel.func)
    kernel.func.erase();
  kernel = {};
}

/// Whether the blocks of the kernel in front have the tiles of `forall`, their
/// dimensions `dims` those of its own.
LogicalResult HostConverter::checkJoin(scf::ForallOp forall,
                                       ArrayRef<int64_t> dims) {
  if (!kernel.func || kernel.isJoined)
    return forall.emitOpError("expected a kernel in front that it can join");
  scf::ForallOp other = kernel.forall;
  if (int64_t(dims.size()) != forall.getRank() ||
      llvm::any_of(dims, [&](int64_t dim) {
        return dim < 0 || dim >= other.getRank() || llvm::count(dims, dim) > 1;
      }))
    return forall.emitOpError("expected '")
           << kJoinAttrName << "' to name a dimension of the kernel in front "
           << "for each of its own";
  for (auto [own, dim] : llvm::enumerate(dims))
    if (forall.getMixedStep()[own] != other.getMixedStep()[dim] ||
        forall.getMixedUpperBound()[own] != other.getMixedUpperBound()[dim])
      return forall.emitOpError("expected the bound and the step of dimension ")
             << own << " to be those of the kernel that it joins";
  if (forall->getAttr(kWarpsAttrName) != other->getAttr(kWarpsAttrName))
    return forall.emitOpError(
        "expected as many warps as in the kernel that it joins");
  return success();
}

/// The branch that is taken launches its own kernels and has its own buffers.
LogicalResult HostConverter::convertIf(scf::IfOp branch) {
  Value condition = hostMap.lookupOrNull(branch.getCondition());
  if (!condition)
    return branch.emitOpError("expected a condition on extents");
  endKernel();
  bool withElse = !branch.getElseRegion().empty();
  auto hostBranch =
      scf::IfOp::create(b, branch.getLoc(), TypeRange(), condition, withElse);
  hostBranch->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  auto convertBlock = [&](Block *block, Block *hostBlock) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(hostBlock->getTerminator());
    for (Operation &op : block->without_terminator())
      if (failed(convertOp(&op)))
        return failure();
    endKernel();
    return success();
  };
  std::string around = kernelPrefix;
  if (auto when = branch->getAttrOfType<StringAttr>("cleave.when")) {
    std::string name = "_" + when.str();
    for (char &c : name)
      c = llvm::isAlnum(c) ? c : '_';
    kernelPrefix += name;
  }
  LogicalResult converted =
      convertBlock(branch.thenBlock(), hostBranch.thenBlock());
  kernelPrefix = around;
  if (failed(converted) || !withElse)
    return converted;
  return convertBlock(branch.elseBlock(), hostBranch.elseBlock());
}

LogicalResult HostConverter::convertForall(scf::ForallOp forall) {
  if (failed(checkForall(forall)))
    return failure();
  assignBuffers(forall);
  auto join = forall->getAttrOfType<DenseI64ArrayAttr>(kJoinAttrName);
  if (!join) {
    endKernel();
    beginKernel(forall);
    return addToKernel(
        forall, llvm::to_vector(llvm::seq<int64_t>(0, forall.getRank())));
  }
  if (failed(checkJoin(forall, join)))
    return failure();
  kernel.isJoined = true;
  OpBuilder kb = OpBuilder::atBlockEnd(&kernel.func.getBody().front());
  createArrival(forall, join, kb);
  return addToKernel(forall, join);
}

LogicalResult HostConverter::convertOp(Operation *op) {
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return convertForall(forall);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return convertIf(branch);
  if (isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return success();
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (Value memref = hostMap.lookupOrNull(cast.getSource()))
      hostMap.map(cast.getResult(), memref);
    return success();
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    Value memref = hostMap.lookupOrNull(dim.getSource());
    if (!memref)
      return op->emitOpError("expected the extent of a function argument or of "
                             "a kernel's result");
    hostMap.map(dim.getResult(),
                memref::DimOp::create(b, op->getLoc(), memref,
                                      hostMap.lookup(dim.getIndex()))
                    .getResult());
    return success();
  }
  if (isa<affine::AffineDialect, arith::ArithDialect, math::MathDialect>(
          op->getDialect()) &&
      isPure(op) && !op->getNumRegions()) {
    // Other scalars than indices and conditions on them are for kernels, and
    // are cloned there.
    if (llvm::all_of(
            op->getResultTypes(),
            [](Type type) { return type.isIndex() || type.isInteger(1); }) &&
        llvm::all_of(op->getOperands(),
                     [&](Value v) { return hostMap.contains(v); }))
      b.clone(*op, hostMap);
    return success();
  }
  return op->emitOpError("is not part of the scheduled form");
}

LogicalResult HostConverter::run() {
  if (failed(checkSignature()))
    return failure();
  createHost();
  if (failed(addDestinations()))
    return failure();
  for (Operation &op : func.getBody().front().without_terminator())
    if (failed(convertOp(&op)))
      return failure();
  endKernel();
  func::ReturnOp::create(b, func.getBody().front().getTerminator()->getLoc());
  symbols.erase(func);
  symbols.insert(host);
  if (module.getOps<gpu::GPUFuncOp>().empty())
    module.erase();
  else
    symbols.insert(module);
  return success();
}

/// In the scheduled form. Kernels may be in branches on extents; results
/// without elements need none.
static bool isScheduled(func::FuncOp func) {
  if (func.getNumResults() &&
      llvm::all_of(func.getResultTypes(), [](Type type) {
        return isa<RankedTensorType>(type) && isNothing(type);
      }))
    return true;
  return func
      .walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isa<scf::ForallOp>(op))
          return WalkResult::interrupt();
        return isa<func::FuncOp, scf::IfOp>(op) ? WalkResult::advance()
                                                : WalkResult::skip();
      })
      .wasInterrupted();
}

namespace {
struct VectorizeTilesPass
    : cleave::impl::VectorizeTilesPassBase<VectorizeTilesPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    VectorizeTilesPassBase::getDependentDialects(registry);
    // Tile sizes are bounded through these.
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    linalg::registerValueBoundsOpInterfaceExternalModels(registry);
    memref::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
    tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal() && isScheduled(func))
        functions.push_back(func);
    for (func::FuncOp func : functions)
      if (failed(HostConverter(func, symbols).run()))
        return signalPassFailure();
    if (!functions.empty())
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      UnitAttr::get(&getContext()));
  }
};
} // namespace
