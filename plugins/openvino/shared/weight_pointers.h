// A model whose large constants are pointers to memory: OpenVINO's ONNX reader takes external data
// with the location "*/_ORT_MEM_ADDR_/*" and the address as the offset, and copies nothing. Where
// the addresses stand in the message is kept, so that another process only writes them anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/backend_compile.h"

namespace tessera_openvino {

/// One address in a message: 20 digits from `position` on.
struct AddressPlace {
  uint64_t position = 0;
  uint64_t weight = 0;  ///< Index into the weights of the model.
};

/// A serialised ModelProto and the places of its addresses, which are 0 until somebody sets them.
struct PointerModel {
  std::string proto;
  std::vector<AddressPlace> places;
};

/// Replaces the external data of a model. Throws where the model is no message, or names a weight
/// that it does not have.
PointerModel pointToWeights(const tessera_onnx_model& model);

/// Writes an address. The place lies within the message (20 digits).
void setAddress(std::string& proto, uint64_t position, const void* address);

constexpr size_t kAddressDigits = 20;

}  // namespace tessera_openvino
