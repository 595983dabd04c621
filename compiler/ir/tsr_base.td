// Base classes and type constraints of the operators.
#ifndef TESSERA_COMPILER_IR_TSR_BASE_TD
#define TESSERA_COMPILER_IR_TSR_BASE_TD

include "compiler/ir/tsr_attrs.td"
include "compiler/ir/tsr_enums.td"
include "compiler/ir/tsr_interfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tsr_FloatElement : AnyTypeOf<[F16, BF16, F32, F64]>;
def Tsr_SignedElement : AnyTypeOf<[I8, I16, I32, I64]>;
def Tsr_UnsignedElement : AnyTypeOf<[UI8, UI16, UI32, UI64]>;
def Tsr_IntegerElement : AnyTypeOf<[Tsr_SignedElement, Tsr_UnsignedElement]>;
def Tsr_NumberElement : AnyTypeOf<[Tsr_FloatElement, Tsr_IntegerElement]>;
def Tsr_AnyElement : AnyTypeOf<[Tsr_NumberElement, I1]>;

/// Tensors of rank 0 and more; bool is i1, signed integers are signless, unsigned ones ui<N>.
def Tsr_Tensor : RankedTensorOf<[Tsr_AnyElement]>;
def Tsr_Number : RankedTensorOf<[Tsr_NumberElement]>;
def Tsr_Float : RankedTensorOf<[Tsr_FloatElement]>;
def Tsr_Integer : RankedTensorOf<[Tsr_IntegerElement]>;
def Tsr_Bool : RankedTensorOf<[I1]>;
/// Shape-like operands: sizes, axes, indices.
def Tsr_Index : RankedTensorOf<[I32, I64]>;
def Tsr_I64 : RankedTensorOf<[I64]>;

class Tsr_IntDefault<string value> : DefaultValuedAttr<I64Attr, value>;
class Tsr_FloatDefault<string value> : DefaultValuedAttr<F32Attr, value>;
def Tsr_Ints : OptionalAttr<DenseI64ArrayAttr>;

/// The result's shape is that of all operands, broadcast as numpy does: sizes of 1 in front of an operand's shape, or
/// elements repeated to that of the others, change nothing.
def Tsr_NumpyBroadcast : NativeOpTrait<"NumpyBroadcast"> {
  let cppNamespace = "::tessera::ir";
}

/// A tensor operator: the ONNX operator `onnx` of opset 23. Operands, results and attributes have ONNX's order and,
/// in snake case, ONNX's names. scripts/generate_op_table.py reads the fields of this class. `example` is an
/// application of the operator, after the constants it needs; names without definition are arguments. A test parses it.
class Tsr_Op<string mnemonic, string onnx, string kind, int flops, list<Trait> traits = []>
    : Op<Tsr_Dialect, mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<TsrOpInterface>], traits)> {
  string onnxName = onnx;
  string fusionKind = kind;
  string example = "";
  int flopsPerElement = flops;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  code kindDeclaration = "static constexpr ::tessera::ir::FusionKind kFusionKind = ::tessera::ir::FusionKind::" # kind # ";\n"
    # "static constexpr int64_t kFlopsPerElement = " # flops # ";\n";
  let extraClassDeclaration = kindDeclaration;
}

/// Result type = type of operand 0.
class Tsr_SameTypeOp<string mnemonic, string onnx, string kind, int flops, list<Trait> traits = []>
    : Tsr_Op<mnemonic, onnx, kind, flops, traits> {
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferSameAsFirst(getOperation(), types);
    }
  }];
}

/// Operators that override getFlops.
class Tsr_CountedOp<string mnemonic, string onnx, string kind, list<Trait> traits = []>
    : Op<Tsr_Dialect, mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<TsrOpInterface, ["getFlops"]>], traits)> {
  string onnxName = onnx;
  string fusionKind = kind;
  string example = "";
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  code kindDeclaration = "static constexpr ::tessera::ir::FusionKind kFusionKind = ::tessera::ir::FusionKind::" # kind # ";\n"
    # "static constexpr int64_t kFlopsPerElement = 0;\n";
  let extraClassDeclaration = kindDeclaration;
}

#endif
