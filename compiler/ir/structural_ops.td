// Structure of a module: constants, composites, foreign operators, control flow, layout and space conversion, manual partition marks.
#ifndef TESSERA_COMPILER_IR_STRUCTURAL_OPS_TD
#define TESSERA_COMPILER_IR_STRUCTURAL_OPS_TD

include "compiler/ir/tsr_base.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Tsr_StructuralOp<string mnemonic, list<Trait> traits = []> : Op<Tsr_Dialect, mnemonic, traits>;

def Tsr_ConstantOp : Tsr_StructuralOp<"constant", [Pure, ConstantLike]> {
  let summary = "a tensor known at compile time";
  let description = [{
    The value is inline (`dense<...>`) or, for large tensors, named by content hash (`#tsr.blob<"...">`).

    (C1) An inline value has the shape and element type of the result. (C2) A blob is in the context's store and has the
    physical size of the result.

    Example: `%w = tsr.constant #tsr.blob<"0123456789abcdef0123456789abcdef"> -> tensor<64x3x7x7xf32>`
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs Tsr_Tensor:$output);
  let assemblyFormat = "$value attr-dict `->` type($output)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tsr_CompositeOp : Tsr_StructuralOp<"composite", [Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">,
                                                     DeclareOpInterfaceMethods<TsrOpInterface, ["getFusionKind", "getFlops"]>]> {
  let summary = "operators kept together under a name, with their original body";
  let description = [{
    A match of a backend's pattern or of a recogniser of simplify (layer_norm, gelu, attention, ...). The body computes
    the same value from the block arguments, one for each operand, and ends in `tsr.yield`. `parameters` holds what the
    name needs to be understood without the body.

    (C1) Block arguments have the operands' types, layouts and memory spaces included. (C2) The yielded types are the
    results', likewise.

    Example: `%y = tsr.composite "gelu_erf"(%x) {...} : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins StrAttr:$name, Variadic<Tsr_Tensor>:$inputs, OptionalAttr<DictionaryAttr>:$parameters);
  let results = (outs Variadic<Tsr_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = "$name `(` $inputs `)` ($parameters^)? attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body";
  let extraClassDeclaration = "static constexpr ::tessera::ir::FusionKind kFusionKind = ::tessera::ir::FusionKind::Opaque;\n"
    "static constexpr int64_t kFlopsPerElement = 0;\n";
}

def Tsr_YieldOp : Tsr_StructuralOp<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "results of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), "static_cast<void>($_state);">];
}

def Tsr_CustomOp : Tsr_StructuralOp<"custom", [Pure]> {
  let summary = "an ONNX operator that the dialect does not know";
  let description = [{
    Keeps domain, operator type, attributes and, where known, result types, so that a backend that understands ONNX can
    still take it. `present` says which of the ONNX inputs are given (absent optional ones are left out of `inputs`).
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$domain, StrAttr:$op_type, I64Attr:$opset, DictionaryAttr:$onnx_attributes,
                   DenseBoolArrayAttr:$present);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$op_type `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}

def Tsr_IfOp : Tsr_StructuralOp<"if", [RecursiveMemoryEffects, NoRegionArguments]> {
  let summary = "runs one of two bodies";
  let description = "(C1) condition has one element. (C2) Both bodies yield the result types.";
  let hasVerifier = 1;
  let arguments = (ins Tsr_Bool:$condition);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$then_branch, SizedRegion<1>:$else_branch);
  let assemblyFormat = "$condition attr-dict `:` functional-type(operands, results) $then_branch `else` $else_branch";
}
def Tsr_LoopOp : Tsr_StructuralOp<"loop", [RecursiveMemoryEffects, AttrSizedOperandSegments]> {
  let summary = "runs a body while a condition holds, at most a given number of times";
  let description = [{
    Block arguments: iteration number (i64 scalar), condition, loop-carried values. The body yields the next condition,
    the next carried values and one element of each scan output; results are the last carried values and the scan outputs.

    (C1) The body has the arguments that are listed. (C2) It yields a condition and one value for each result, the carried
    ones first.
  }];
  let hasVerifier = 1;
  let arguments = (ins Optional<Tsr_I64>:$max_trip_count, Optional<Tsr_Bool>:$condition, Variadic<AnyType>:$initial);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $body";
}
def Tsr_ScanOp : Tsr_StructuralOp<"scan", [RecursiveMemoryEffects]> {
  let summary = "runs a body for each slice of its scan inputs";
  let description = [{
    Block arguments: state values, then one slice of each scan input. The body yields next states, then one slice of each
    scan output.

    (C1) num_scan_inputs is in [0, inputs]. (C2) The body has one argument for each input and yields one value for each result.
  }];
  let hasVerifier = 1;
  let arguments = (ins Variadic<AnyType>:$inputs, I64Attr:$num_scan_inputs, Tsr_Ints:$scan_input_axes, Tsr_Ints:$scan_input_directions,
                   Tsr_Ints:$scan_output_axes, Tsr_Ints:$scan_output_directions);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $body";
}

def Tsr_RelayoutOp : Tsr_StructuralOp<"relayout", [Pure, DeclareOpInterfaceMethods<TsrOpInterface>]> {
  let summary = "the same value in another physical order";
  let description = [{
    (C1) Operand and result have one logical shape, element type and memory space; only the physical order differs.
    The result's padding is what its layout says, whatever the operand's holds.
  }];
  let arguments = (ins Tsr_Tensor:$input);
  let results = (outs Tsr_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = "static constexpr ::tessera::ir::FusionKind kFusionKind = ::tessera::ir::FusionKind::Injective;\n"
    "static constexpr int64_t kFlopsPerElement = 0;\n";
}
def Tsr_CopyOp : Tsr_StructuralOp<"copy", [Pure]> {
  let summary = "the same value in another memory space";
  let description = "(C1) Operand and result have one logical shape, element type and physical order; only the memory space differs.";
  let hasVerifier = 1;
  let arguments = (ins Tsr_Tensor:$input);
  let results = (outs Tsr_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Tsr_CodeOp : Tsr_StructuralOp<"code", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "what a target's runtime half reads to run regions";
  let description = [{
    Made by phase `emit`. The bytes are in the context's store by content hash, like those of a large constant. Regions say
    which code runs them in `tessera.implementations`, a list of `#tsr.implementation`. `version` is that of the oldest
    runtime half that reads the code, numbers with dots between ("1.2"); absent: any does. `abi` is the least version of
    the runtime halves' ABI that the code needs.

    (C1) The blob is in the context's store. (C2) abi is in [1, 2^31).

    Example: `tsr.code @fast_code for <"fast"> abi 1 version "1.2" = <"0123456789abcdef0123456789abcdef">`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Tsr_TargetAttr:$target, Tsr_BlobAttr:$bytes,
                   I32Attr:$abi, OptionalAttr<StrAttr>:$version);
  let assemblyFormat = "$sym_name `for` $target `abi` $abi (`version` $version^)? `=` $bytes attr-dict";
  let hasVerifier = 1;
}

class Tsr_MarkOp<string mnemonic, string what> : Tsr_StructuralOp<mnemonic, [Pure, AllTypesMatch<["input", "output"]>]> {
  let summary = what;
  let arguments = (ins Tsr_Tensor:$input, StrAttr:$target);
  let results = (outs Tsr_Tensor:$output);
  let assemblyFormat = "$target $input attr-dict `:` functional-type($input, $output)";
}
def Tsr_CompilerBeginOp : Tsr_MarkOp<"compiler_begin", "the value enters a part that the named target takes">;
def Tsr_CompilerEndOp : Tsr_MarkOp<"compiler_end", "the value leaves a part that the named target takes">;

#endif
