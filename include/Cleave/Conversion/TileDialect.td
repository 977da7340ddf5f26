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

#endif // CLEAVE_CONVERSION_TILEDIALECT
