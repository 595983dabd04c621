// The code blob: regions as ONNX models, each weight once, at offsets that are multiples of 64. It
// holds no compiled code, so any CPU and any version of OpenVINO that reads the models will do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared/weight_pointers.h"

namespace tessera_openvino {

/// Collects regions.
class BlobWriter {
 public:
  /// `model` was made of `given`, whose weights are copied. Returns the region's number.
  uint64_t add(const PointerModel& model, const tessera_onnx_model& given);

  std::vector<std::byte> finish() const;

 private:
  struct Region {
    std::string proto;
    std::vector<AddressPlace> places;  ///< Weights as `weights_` numbers them.
  };
  struct Weight {
    std::string hash;
    std::span<const std::byte> bytes;
  };

  std::vector<Region> regions_;
  std::vector<Weight> weights_;
};

/// A region of a blob: its model, whose weights lie in the blob.
std::string modelOf(std::span<const std::byte> blob, uint64_t region);

/// The weights of all regions of a blob.
std::vector<std::span<const std::byte>> weightsOf(std::span<const std::byte> blob);

/// How many regions a blob has. All three throw where the bytes are no blob.
uint64_t numRegionsOf(std::span<const std::byte> blob);

}  // namespace tessera_openvino
