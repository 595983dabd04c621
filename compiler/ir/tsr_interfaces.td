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

#endif
