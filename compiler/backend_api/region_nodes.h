// What a region is made of: its operators by name, its ONNX nodes by number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_api {

/// The operators of a region function, in order, constants left out: "conv", "relu"; a composite's
/// own name stands for what is in it. None of a region without a body, which its code makes up for.
std::vector<std::string> operatorNames(mlir::func::FuncOp region);

/// For each operator of a region function, in order, the number of the first ONNX node that it
/// comes from; TESSERA_NO_NODE when it comes from none. Nodes are numbered as the artifact's
/// Region::nodeNames lists them for a call: in the order of the operators, each name once. Calls of
/// two regions may share one function only when these are equal.
llvm::SmallVector<uint32_t> nodeNumbers(mlir::func::FuncOp region);

}  // namespace tessera::backend_api
