// What every tsr tensor operator can be asked.
#ifndef TESSERA_COMPILER_IR_TSR_INTERFACES_TD
#define TESSERA_COMPILER_IR_TSR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TsrOpInterface : OpInterface<"TsrOpInterface"> {
  let cppNamespace = "::tessera::ir";
  let description = [{
    A tensor operator: how it fuses, which types it produces, what it costs. The interface verifies each operator by
    comparing its declared result types with the inferred ones.
  }];
  let methods = [
    InterfaceMethod<[{How the operator may be fused with its neighbours.}],
      "::tessera::ir::FusionKind", "getFusionKind", (ins), [{}], [{ return ConcreteOp::kFusionKind; }]>,
    InterfaceMethod<[{
        Appends the type of each result, from operand types, attributes and constant operands; dimensions that are not
        known are dynamic. Emits an error that names the broken constraint and fails when the operands do not fit.
        Result types of the operation itself are not read.
      }],
      "::mlir::LogicalResult", "inferTypes", (ins "::llvm::SmallVectorImpl<::mlir::Type>&":$types)>,
    InterfaceMethod<[{
        Floating-point (or integer) operations of one execution, a multiply-add counting as two; -1 when a size is not known.
      }],
      "int64_t", "getFlops", (ins), [{}], [{
        return ::tessera::ir::flopsPerResultElement($_op.getOperation(), ConcreteOp::kFlopsPerElement);
      }]>,
    InterfaceMethod<[{Bytes read from operands and written to results, each once; -1 when a size is not known.}],
      "int64_t", "getBytes", (ins), [{}], [{ return ::tessera::ir::operandAndResultBytes($_op.getOperation()); }]>,
  ];
  let verify = [{ return ::tessera::ir::verifyResultTypes($_op); }];
}

def Tsr_AxisOpInterface : OpInterface<"AxisOpInterface"> {
  let cppNamespace = "::tessera::ir";
  let description = [{An operator with an `axis` attribute, which may count from the back. Ask verified operators only.}];
  let methods = [
    InterfaceMethod<[{The axis, counted from the front.}], "int64_t", "getAxisNormalized", (ins), [{}], [{
        return ::tessera::ir::spec::normalizedAxis(static_cast<int64_t>($_op.getAxis()), $_op.getAxisRank());
      }]>,
    InterfaceMethod<[{The number of dimensions that the axis is one of.}], "int64_t", "getAxisRank", (ins), [{}], [{
        return ::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType()).getRank();
      }]>,
  ];
}

def Tsr_ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::tessera::ir";
  let description = [{An operator that makes one element of all those along some dimensions. Ask verified operators only.}];
  let methods = [
    InterfaceMethod<[{The dimensions, ascending; nothing when its axes are known at run time only.}],
      "::std::optional<::llvm::SmallVector<int64_t>>", "getReducedDims">,
    InterfaceMethod<[{Not 0 where reduced dimensions stay, with size 1.}], "uint64_t", "getKeepdims">,
  ];
}

def Tsr_WindowOpInterface : OpInterface<"WindowOpInterface"> {
  let cppNamespace = "::tessera::ir";
  let description = [{
    A convolution or pool: a window over the spatial dimensions of [N, C, D1, ..., Dn]. compiler/ir/spec/window.h makes
    geometry of these attributes; nobody else reads them.
  }];
  let methods = [
    InterfaceMethod<"", "::tessera::ir::AutoPad", "getAutoPad">,
    InterfaceMethod<"", "::std::optional<::llvm::ArrayRef<int64_t>>", "getStrides">,
    InterfaceMethod<"", "::std::optional<::llvm::ArrayRef<int64_t>>", "getDilations">,
    InterfaceMethod<"", "::std::optional<::llvm::ArrayRef<int64_t>>", "getPads">,
    InterfaceMethod<[{Not 0 where the number of positions is rounded up.}], "uint64_t", "getCeilMode", (ins), [{}],
      [{ return 0; }]>,
  ];
}

def Tsr_RecurrentOpInterface : OpInterface<"RecurrentOpInterface"> {
  let cppNamespace = "::tessera::ir";
  let description = [{lstm, gru or rnn; compiler/ir/spec/recurrent.h makes activations of the attributes.}];
  let methods = [
    InterfaceMethod<[{Row blocks of the weights.}], "int64_t", "getNumGates", (ins), [{}], [{ return ConcreteOp::kNumGates; }]>,
    InterfaceMethod<[{The activations of one direction where the attribute is absent.}],
      "::llvm::ArrayRef<::tessera::ir::spec::Activation>", "getDefaultActivations", (ins), [{}],
      [{ return ConcreteOp::kActivations; }]>,
    InterfaceMethod<"", "::tessera::ir::RecurrentDirection", "getDirection">,
    InterfaceMethod<[{0: time comes first, 1: the batch.}], "uint64_t", "getLayout">,
    InterfaceMethod<"", "::std::optional<uint64_t>", "getHiddenSize">,
    InterfaceMethod<"", "::std::optional<::mlir::ArrayAttr>", "getActivations">,
    InterfaceMethod<"", "::std::optional<::mlir::ArrayAttr>", "getActivationAlpha">,
    InterfaceMethod<"", "::std::optional<::mlir::ArrayAttr>", "getActivationBeta">,
    InterfaceMethod<"", "::std::optional<::llvm::APFloat>", "getClip">,
  ];
}

#endif
