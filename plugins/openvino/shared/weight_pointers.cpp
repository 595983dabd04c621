#include "shared/weight_pointers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "shared/wire.h"

namespace tessera_openvino {

constexpr const char* kMemoryLocation = "*/_ORT_MEM_ADDR_/*";
constexpr uint64_t kExternalData = 1;  // TensorProto.DataLocation.EXTERNAL

namespace {

using WeightNumbers = std::map<std::string_view, uint64_t>;

/// Rewrites messages from the inside out: lengths stand before what they count.
class Rewriter {
 public:
  explicit Rewriter(const tessera_onnx_model& model) : model_(model) {
    for (uint32_t i = 0; i < model.num_weights; ++i) numbers_[model.weights[i]->hash] = i;
  }

  PointerModel rewrite(int message, std::string_view bytes) const {
    PointerModel result;
    const std::optional<uint64_t> weight =
        message == TESSERA_ONNX_IN_TENSOR ? weightOf(bytes) : std::nullopt;
    forEachField(bytes, [&](const WireField& field) {
      if (weight && (field.number == TESSERA_ONNX_TENSOR_EXTERNAL_DATA ||
                     field.number == TESSERA_ONNX_TENSOR_DATA_LOCATION))
        return;
      const int child = tessera_onnx_child(message, field.number);
      if (child == TESSERA_ONNX_IN_NOTHING || !field.isBytes) {
        result.proto.append(field.whole);
        return;
      }
      PointerModel inner = rewrite(child, field.content);
      appendField(result.proto, field.number, inner.proto);
      const uint64_t begin = result.proto.size() - inner.proto.size();
      for (const AddressPlace& place : inner.places)
        result.places.push_back({.position = begin + place.position, .weight = place.weight});
    });
    if (weight) appendPointer(result, *weight);
    return result;
  }

 private:
  /// The weight that a tensor's external data names; nothing where it has its own bytes.
  std::optional<uint64_t> weightOf(std::string_view tensor) const {
    std::optional<uint64_t> weight;
    forEachField(tensor, [&](const WireField& field) {
      if (field.number != TESSERA_ONNX_TENSOR_EXTERNAL_DATA || !field.isBytes) return;
      std::string_view key, value;
      forEachField(field.content, [&](const WireField& part) {
        if (part.number == field::kEntryKey) key = part.content;
        if (part.number == field::kEntryValue) value = part.content;
      });
      if (key != "location") return;
      const auto found = numbers_.find(value);
      if (found == numbers_.end()) throw std::runtime_error("the model names an unknown weight");
      weight = found->second;
    });
    return weight;
  }

  void appendPointer(PointerModel& result, uint64_t weight) const {
    const auto append = [&](std::string_view key, std::string_view value) {
      std::string entry;
      appendField(entry, field::kEntryKey, key);
      appendField(entry, field::kEntryValue, value);
      appendField(result.proto, TESSERA_ONNX_TENSOR_EXTERNAL_DATA, entry);
    };
    append("location", kMemoryLocation);
    append("length", std::to_string(model_.weights[weight]->data_size));
    append("offset", std::string(kAddressDigits, '0'));
    result.places.push_back({.position = result.proto.size() - kAddressDigits, .weight = weight});
    appendNumber(result.proto, TESSERA_ONNX_TENSOR_DATA_LOCATION, kExternalData);
  }

  const tessera_onnx_model& model_;
  WeightNumbers numbers_;
};

}  // namespace

PointerModel pointToWeights(const tessera_onnx_model& model) {
  return Rewriter(model).rewrite(TESSERA_ONNX_IN_MODEL,
                                 {static_cast<const char*>(model.proto), model.proto_size});
}

void setAddress(std::string& proto, uint64_t position, const void* address) {
  const std::string digits = std::to_string(reinterpret_cast<uintptr_t>(address));
  const auto last = proto.begin() + static_cast<std::ptrdiff_t>(position + kAddressDigits);
  std::fill(last - kAddressDigits, last, '0');
  std::copy(digits.rbegin(), digits.rend(), std::make_reverse_iterator(last));
}

}  // namespace tessera_openvino
