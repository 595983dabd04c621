// Reductions along axes, softmax and its kin.
#ifndef TESSERA_COMPILER_IR_REDUCTION_OPS_TD
#define TESSERA_COMPILER_IR_REDUCTION_OPS_TD

include "compiler/ir/tsr_base.td"

class Tsr_ReduceOp<string mnemonic, string onnx, string what, Type type = Tsr_Number>
    : Tsr_CountedOp<mnemonic, onnx, "Reduction", [DeclareOpInterfaceMethods<Tsr_ReductionOpInterface, ["getReducedDims"]>]> {
  let summary = what;
  let description = [{
    Reduces over `axes` (negative ones count from the back). Without axes, or with an empty list, over all dimensions, or
    over none with `noop_with_empty_axes = 1`. Reduced dimensions stay with size 1 unless `keepdims = 0`.

    (C1) Axes are in [-rank, rank) and differ.
    (C2) Axes are a tensor of rank 1; the rank of the result follows from keepdims = 1 or from the number of axes.
  }];
  let example = "%axes = tsr.constant dense<[0, -1]> : tensor<2xi64> -> tensor<2xi64>\n%reduced = tsr." # mnemonic #
    " %data, %axes : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<1x3x1xf32>";
  let arguments = (ins type:$data, Optional<Tsr_I64>:$axes, Tsr_IntDefault<"1">:$keepdims,
                   Tsr_IntDefault<"0">:$noop_with_empty_axes);
  let results = (outs type:$reduced);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferReduce(getOperation(), getAxes(), getKeepdims(), getNoopWithEmptyAxes(), types);
    }
    ::std::optional<::llvm::SmallVector<int64_t>> $cppClass::getReducedDims() {
      return ::tessera::ir::constantReducedDims(getOperation(), getAxes(), getNoopWithEmptyAxes());
    }
    int64_t $cppClass::getFlops() { return ::tessera::ir::operandElements(getOperation(), 0); }
  }];
}

def Tsr_ReduceSumOp : Tsr_ReduceOp<"reduce_sum", "ReduceSum", "sum along axes">;
def Tsr_ReduceMeanOp : Tsr_ReduceOp<"reduce_mean", "ReduceMean", "mean along axes">;
def Tsr_ReduceMaxOp : Tsr_ReduceOp<"reduce_max", "ReduceMax", "maximum along axes", Tsr_Tensor>;
def Tsr_ReduceMinOp : Tsr_ReduceOp<"reduce_min", "ReduceMin", "minimum along axes", Tsr_Tensor>;
def Tsr_ReduceProdOp : Tsr_ReduceOp<"reduce_prod", "ReduceProd", "product along axes">;
def Tsr_ReduceL1Op : Tsr_ReduceOp<"reduce_l1", "ReduceL1", "sum of absolute values along axes">;
def Tsr_ReduceL2Op : Tsr_ReduceOp<"reduce_l2", "ReduceL2", "square root of the sum of squares along axes">;
def Tsr_ReduceLogSumOp : Tsr_ReduceOp<"reduce_log_sum", "ReduceLogSum", "logarithm of the sum along axes">;
def Tsr_ReduceLogSumExpOp : Tsr_ReduceOp<"reduce_log_sum_exp", "ReduceLogSumExp", "logarithm of the sum of exponentials along axes">;
def Tsr_ReduceSumSquareOp : Tsr_ReduceOp<"reduce_sum_square", "ReduceSumSquare", "sum of squares along axes">;

class Tsr_ArgReduceOp<string mnemonic, string onnx, string what>
    : Tsr_CountedOp<mnemonic, onnx, "Reduction",
                    [Tsr_AxisOpInterface, DeclareOpInterfaceMethods<Tsr_ReductionOpInterface, ["getReducedDims"]>]> {
  let summary = what;
  let description = "(C1) axis is in [-rank, rank). The first of equal elements wins, or the last with select_last_index = 1.";
  let example = "%reduced = tsr." # mnemonic # " %data {axis = -1 : i64, keepdims = 0 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>";
  let arguments = (ins Tsr_Number:$data, Tsr_IntDefault<"0">:$axis, Tsr_IntDefault<"1">:$keepdims,
                   Tsr_IntDefault<"0">:$select_last_index);
  let results = (outs Tsr_I64:$reduced);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferArgReduce(getOperation(), getAxis(), getKeepdims(), types);
    }
    ::std::optional<::llvm::SmallVector<int64_t>> $cppClass::getReducedDims() {
      return ::llvm::SmallVector<int64_t>{getAxisNormalized()};
    }
    int64_t $cppClass::getFlops() { return ::tessera::ir::operandElements(getOperation(), 0); }
  }];
}
def Tsr_ArgmaxOp : Tsr_ArgReduceOp<"argmax", "ArgMax", "index of the greatest element along an axis">;
def Tsr_ArgminOp : Tsr_ArgReduceOp<"argmin", "ArgMin", "index of the least element along an axis">;

/// Same shape as the input; each slice along `axis` is normalised by itself.
class Tsr_SoftmaxLikeOp<string mnemonic, string onnx, string what, int flops>
    : Tsr_Op<mnemonic, onnx, "Opaque", flops, [Tsr_AxisOpInterface]> {
  let summary = what;
  let description = "(C1) axis is in [-rank, rank).";
  let example = "%output = tsr." # mnemonic # " %input {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>";
  let arguments = (ins Tsr_Float:$input, Tsr_IntDefault<"-1">:$axis);
  let results = (outs Tsr_Float:$output);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferAlongAxis(getOperation(), getAxis(), types);
    }
  }];
}
def Tsr_SoftmaxOp : Tsr_SoftmaxLikeOp<"softmax", "Softmax", "exponentials along an axis, divided by their sum", 14>;
def Tsr_LogSoftmaxOp : Tsr_SoftmaxLikeOp<"log_softmax", "LogSoftmax", "logarithm of softmax along an axis", 14>;
def Tsr_HardmaxOp : Tsr_SoftmaxLikeOp<"hardmax", "Hardmax", "1 at the first greatest element along an axis, 0 elsewhere", 1>;

#endif
