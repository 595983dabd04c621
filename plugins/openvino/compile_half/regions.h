// Finished regions: whether OpenVINO compiles them, and their code.
#pragma once

#include <string>
#include <vector>

#include "tessera/backend_compile.h"

namespace tessera_openvino {

/// What OpenVINO says of the type of an output of a node.
struct OutputType {
  uint32_t output = 0;
  tessera_dtype dtype = {};
  std::vector<int64_t> dims;  ///< -1: known at run time.
};

/// A model with the addresses of its weights. Those without bytes get memory that reads as zeros:
/// enough for a question about types. Throws where the model makes no sense.
std::string withAddresses(const tessera_onnx_model& model);

/// Compiles a region for the CPU and drops what comes out: a region that cannot be run is refused
/// here. Throws what OpenVINO throws, or what of the region's border is not as it should be.
void tryRegion(const tessera_onnx_model& region);

/// Types of the outputs of a node whose type OpenVINO tells, rank included.
std::vector<OutputType> inferOutputs(const tessera_onnx_model& node);

}  // namespace tessera_openvino
