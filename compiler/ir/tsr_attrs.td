// Attributes and types: layout, target, constants by content hash, buffers of the host program.
#ifndef TESSERA_COMPILER_IR_TSR_ATTRS_TD
#define TESSERA_COMPILER_IR_TSR_ATTRS_TD

include "compiler/ir/tsr_dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Tsr_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Tsr_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tsr_Padding : I32EnumAttr<"Padding", "what lies behind the last element of a blocked dimension", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"Finite", 1, "finite">]> {
  let cppNamespace = "::tessera::ir";
}

def Tsr_LayoutAttr : Tsr_Attr<"Layout", "layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "physical order, memory space and dimension names of a tensor";
  let description = [{
    The encoding of a ranked tensor whose logical shape alone does not say all. Every part may be empty.

    - `dims`: a symbol for each dimension, "" where it has none; equal symbols mean equal sizes.
    - `order`: the outer physical dimensions, a permutation of the logical ones; empty = row-major order.
    - `blockDims`, `blockSizes`: inner dimensions after the outer ones: logical dimension blockDims[i] is cut
      into blocks of blockSizes[i] elements, the last block padded. NCHW16c is
      `order = [], blockDims = [1], blockSizes = [16]`.
    - `padding`: what the padding holds: `zero` unless said otherwise, or `finite`: any numbers, but no infinity or NaN
      (what a product with zero weights needs). Whoever takes `finite` takes `zero`, too; a `tsr.relayout` converts for
      an owner that needs zeros.
    - `space`: the name of the memory space the value lives in, such as "opencl:1"; empty = the host's.

    (C1) `dims` and `order`, when not empty, have one entry for each dimension of the tensor.
    (C2) `order` is a permutation.
    (C3) `blockDims` and `blockSizes` have equal length; dimensions are in range and sizes > 1.
    (C4) `space` is not "host": memory of the host is said by saying nothing, as the parser does.
    (C5) `padding` is `finite` only where there is some: a blocked dimension that is no multiple of its block, or open.

    Example: `tensor<1x64x56x56xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>`
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::mlir::StringAttr">:$dims,
    OptionalArrayRefParameter<"int64_t">:$order,
    OptionalArrayRefParameter<"int64_t">:$blockDims,
    OptionalArrayRefParameter<"int64_t">:$blockSizes,
    StringRefParameter<"memory space">:$space,
    DefaultValuedParameter<"::tessera::ir::Padding", "::tessera::ir::Padding::Zero">:$padding
  );
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::mlir::StringAttr>":$dims, "::llvm::ArrayRef<int64_t>":$order,
                     "::llvm::ArrayRef<int64_t>":$blockDims, "::llvm::ArrayRef<int64_t>":$blockSizes,
                     "::llvm::StringRef":$space), [{
      return $_get($_ctxt, dims, order, blockDims, blockSizes, space, ::tessera::ir::Padding::Zero);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True when the elements lie in plain row-major order.
    bool isPlainOrder() const { return getOrder().empty() && getBlockDims().empty(); }
    /// True when the value lives in the host's memory.
    bool isInHost() const { return getSpace().empty(); }
    /// Row-major order in the host's memory: nothing is said but, perhaps, names of dimensions.
    bool isPlain() const { return isPlainOrder() && isInHost(); }
    /// Sizes of the physical dimensions of a tensor with logical shape `shape`; dynamic sizes stay dynamic.
    ::llvm::SmallVector<int64_t> physicalShape(::llvm::ArrayRef<int64_t> shape) const;
    /// Whether a tensor with logical shape `shape` has padding, or may have at run time.
    bool isPadded(::llvm::ArrayRef<int64_t> shape) const;
    /// The same layout with other names of dimensions.
    LayoutAttr withDims(::llvm::ArrayRef<::mlir::StringAttr> dims) const;
    /// The same layout with other padding.
    LayoutAttr withPadding(Padding padding) const;
    /// True when both lay out elements and padding alike in one memory space, whatever dimensions are called.
    bool isSamePlacement(LayoutAttr other) const;
  }];
}

def Tsr_TargetAttr : Tsr_Attr<"Target", "target"> {
  let summary = "a target kind with attributes: who owns a function";
  let description = [{
    `#tsr.target<"cuda", {arch = "sm_90"}>`, `#tsr.target<"opencl" : 1>` for device 1. On a function
    (`tessera.target`) it names the owner. Values are strings, booleans, i64 and f64.
  }];
  let parameters = (ins StringRefParameter<"target kind">:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$device,
                        OptionalParameter<"::mlir::DictionaryAttr">:$attributes);
  let assemblyFormat = "`<` $kind (`:` $device^)? (`,` $attributes^)? `>`";
}

def Tsr_BlobAttr : Tsr_Attr<"Blob", "blob"> {
  let summary = "the value of a large constant, by content hash";
  let description = [{
    The 128-bit XXH3 hash, 32 hexadecimal digits, of the bytes in the context's ConstantStore. The bytes are in the
    physical order of the type of the `tsr.constant` that holds this attribute. Saved modules carry the bytes in a
    safetensors file beside the text.
  }];
  let parameters = (ins StringRefParameter<"content hash">:$hash);
  let assemblyFormat = "`<` $hash `>`";
}

def Tsr_ImplementationAttr : Tsr_Attr<"Implementation", "implementation"> {
  let summary = "one way to run a region";
  let description = [{
    Entries of `tessera.implementations` on a region's function, the one to try first in front. `entry` is what the runtime
    half looks up in the code; `workspaceBytes` the scratch memory that one run needs; `cpuFeatures` the CPU features, by LLVM's
    names, without which it does not run.

    Example: `#tsr.implementation<code = @fast_code, entry = "fast_0", workspaceBytes = 4096, cpuFeatures = ["avx2"]>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$code, "::mlir::StringAttr":$entry,
                        DefaultValuedParameter<"int64_t", "0">:$workspaceBytes,
                        OptionalParameter<"::mlir::ArrayAttr">:$cpuFeatures);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tsr_FusionKind : I32EnumAttr<"FusionKind", "how an operator may be fused (TVM's TOpPattern)", [
    I32EnumAttrCase<"Elementwise", 0, "elementwise">,
    I32EnumAttrCase<"Broadcast", 1, "broadcast">,
    I32EnumAttrCase<"Injective", 2, "injective">,
    I32EnumAttrCase<"Reduction", 3, "reduction">,
    I32EnumAttrCase<"OutFusable", 4, "out_fusable">,
    I32EnumAttrCase<"Opaque", 5, "opaque">]> {
  let cppNamespace = "::tessera::ir";
}

class Tsr_Type<string name, string typeMnemonic> : TypeDef<Tsr_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tsr_BufferType : Tsr_Type<"Buffer", "buffer"> {
  let summary = "memory that holds one tensor, in the host program";
  let description = [{
    `!tsr.buffer<tensor<1x64x56x56xf32, #tsr.layout<...>>>`: the tensor type gives element type, logical shape, physical
    order and memory space.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

#endif
