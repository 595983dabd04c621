// The tsr dialect: include this to work with its operators, attributes and types.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/ir/infer/infer.h"
#include "compiler/ir/io/constant_store.h"
#include "compiler/ir/spec/activation.h"
#include "compiler/ir/spec/axes.h"

#include "compiler/ir/tsr_dialect.h.inc"
#include "compiler/ir/tsr_enums.h.inc"

#include "compiler/ir/words.h"

#define GET_ATTRDEF_CLASSES
#include "compiler/ir/tsr_attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/tsr_interfaces.h.inc"
#include "compiler/ir/tsr_types.h.inc"
#define GET_OP_CLASSES
#include "compiler/ir/tsr_ops.h.inc"
