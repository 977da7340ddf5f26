//===- TileDialect.td - Layouts of tile values ------------*- tablegen -*-===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the vector dialect cannot say about a block's tiles: where their
// elements live, and that they move.
//
//===----------------------------------------------------------------------===//

#ifndef CLEAVE_CONVERSION_TILEDIALECT
#define CLEAVE_CONVERSION_TILEDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CleaveTile_Dialect : Dialect {
  let name = "cleave_tile";
  let cppNamespace = "::mlir::cleave::tile";
  let summary = "layouts of the tile values of a GPU kernel";
  let description = [{
    Lives between `cleave-assign-layouts`, which gives every vector value of
    block shape a layout, and `cleave-distribute`, which replaces those values
    by what one thread holds. The layout of an op's results is its discardable
    attribute `cleave_tile.layout`: one layout, or an array with one entry a
    result (`unit` for a result that is no vector).
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def CleaveTile_LayoutAttr : AttrDef<CleaveTile_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "a GF(2)-linear map from register, lane and warp to a tile";
  let description = [{
    Each bit of the register number, lane and warp contributes the coordinates
    written for it (lowest bit first); an element's coordinates are their XOR.

    ```mlir
    #cleave_tile.layout<[16, 8] reg = [(0,1), (8,0)],
        lane = [(0,2), (0,4), (1,0), (2,0), (4,0)], warp = []>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        ArrayRefParameter<"int64_t">:$reg,
                        ArrayRefParameter<"int64_t">:$lane,
                        ArrayRefParameter<"int64_t">:$warp);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static LayoutAttr get(MLIRContext *context,
                          const ::mlir::cleave::LinearLayout &layout);
    ::mlir::cleave::LinearLayout getLayout() const;
  }];
}

def CleaveTile_ConvertLayoutOp : Op<CleaveTile_Dialect, "convert_layout",
    [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "moves a tile value to another layout";
  let description = [{
    The same elements in other registers, lanes or warps.

    ```mlir
    %b = cleave_tile.convert_layout %a from #l0 to #l1 : vector<16x64xf16>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$source, CleaveTile_LayoutAttr:$from,
                       CleaveTile_LayoutAttr:$to);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat =
      "$source `from` $from `to` $to attr-dict `:` type($source)";
  let hasVerifier = 1;
}

class CleaveTile_RingArg<string effect> : Arg<
    Non0RankedMemRefOf<[AnyInteger, AnyFloat]>, "slots x tile",
    !if(!eq(effect, "write"), [MemWrite], [MemRead])>;

def CleaveTile_RingOp : Op<CleaveTile_Dialect, "ring",
    [MemoryEffects<[MemAlloc]>]> {
  let summary = "shared memory for the tiles that a loop loads ahead";
  let description = [{
    One slot an iteration under way; the outermost dimension counts slots. How
    a tile lies in its slot is up to `cleave-distribute`. In use until its
    `memref.dealloc`.

    ```mlir
    %r = cleave_tile.ring : memref<4x16x64xf16, #gpu.address_space<workgroup>>
    ```
  }];
  let results = (outs Non0RankedMemRefOf<[AnyInteger, AnyFloat]>:$ring);
  let builders = [OpBuilder<(ins "::mlir::VectorType":$tile, "int64_t":$slots)>];
  let assemblyFormat = "attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def CleaveTile_FetchOp : Op<CleaveTile_Dialect, "fetch"> {
  let summary = "starts to copy a tile of global memory to a slot of a ring";
  let description = [{
    The tile is the result of a `vector.transfer_read`, whose elements go to
    shared memory without registers between. The copy belongs to the group that
    the next `nvvm.cp.async.commit.group` closes and is complete behind a
    `nvvm.cp.async.wait.group` for that group, for the thread that made it.

    `phase` is the number of iterations from this one to the one that reads the
    tile: tiles of different phases (modulo the slots) lie in different slots.

    ```mlir
    cleave_tile.fetch %tile, %ring[%slot] phase 3
        : vector<16x64xf16>, memref<4x16x64xf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$tile, CleaveTile_RingArg<"write">:$ring,
                       Index:$slot, I64Attr:$phase);
  let assemblyFormat = "$tile `,` $ring `[` $slot `]` `phase` $phase attr-dict "
                       "`:` type($tile) `,` type($ring)";
  let hasVerifier = 1;
}

def CleaveTile_ReadOp : Op<CleaveTile_Dialect, "read"> {
  let summary = "the tile of this iteration in a ring";
  let description = [{
    In whatever layout its users ask for: each has its own loads. With `offsets`
    a part of the tile; `phase` as for `cleave_tile.fetch`.

    ```mlir
    %tile = cleave_tile.read %ring[%slot]
        : memref<4x16x64xf16, #gpu.address_space<workgroup>>, vector<16x64xf16>
    ```
  }];
  let arguments = (ins CleaveTile_RingArg<"read">:$ring, Index:$slot,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets,
                       OptionalAttr<I64Attr>:$phase);
  let results = (outs AnyVectorOfAnyRank:$tile);
  let builders = [OpBuilder<(ins "::mlir::Type":$tile, "::mlir::Value":$ring,
                                 "::mlir::Value":$slot), [{
    build($_builder, $_state, tile, ring, slot, ::mlir::DenseI64ArrayAttr(),
          ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat =
      "$ring `[` $slot `]` attr-dict `:` type($ring) `,` type($tile)";
  let hasVerifier = 1;
}

def CleaveTile_WriteOp : Op<CleaveTile_Dialect, "write"> {
  let summary = "puts a tile that threads have made into a slot of a ring";
  let description = [{
    For the other threads of the block, which `cleave_tile.read` it.

    ```mlir
    cleave_tile.write %tile, %ring[%slot]
        : vector<16x64xf16>, memref<1x16x64xf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$tile, CleaveTile_RingArg<"write">:$ring,
                       Index:$slot);
  let assemblyFormat = "$tile `,` $ring `[` $slot `]` attr-dict `:` "
                       "type($tile) `,` type($ring)";
  let hasVerifier = 1;
}

def CleaveTile_RescaleOp : Op<CleaveTile_Dialect, "rescale",
    [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
     AllTypesMatch<["value", "factors", "result"]>]> {
  let summary = "multiplies by factors that are mostly 1";
  let description = [{
    The product of both. A thread whose factors are all 1 goes around its
    multiplications.

    ```mlir
    %b = cleave_tile.rescale %a, %factors : vector<128x64xf32>
    ```
  }];
  let arguments = (ins VectorOfAnyRankOf<[F32]>:$value,
                       VectorOfAnyRankOf<[F32]>:$factors);
  let results = (outs VectorOfAnyRankOf<[F32]>:$result);
  let assemblyFormat = "$value `,` $factors attr-dict `:` type($result)";
}

def CleaveTile_ArriveOp : Op<CleaveTile_Dialect, "arrive"> {
  let summary = "the blocks of a kernel end here, but for the last one of a tile";
  let description = [{
    `blocks` blocks arrive at each tile. What they wrote before is there for the
    last one, which goes on; the others end. Every thread of a block arrives, at
    the kernel's outermost level. Counters hold 0 before the kernel and after it.
    Loops behind run with `stages` in place of the kernel's `cleave.stages`.

    ```mlir
    cleave_tile.arrive %counters[%tile] of %blocks stages 1 : memref<?xi32>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I32], [1]>:$counters, Index:$tile,
                       Index:$blocks, I64Attr:$stages);
  let assemblyFormat = "$counters `[` $tile `]` `of` $blocks `stages` $stages "
                       "attr-dict `:` type($counters)";
}

#endif // CLEAVE_CONVERSION_TILEDIALECT
