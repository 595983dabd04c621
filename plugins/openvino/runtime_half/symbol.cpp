#include "runtime_half/symbol.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "shared/element_types.h"

namespace tessera_openvino {

static std::vector<ov::element::Type> elementsOf(const tessera_argument_type* const* types,
                                                 uint32_t count) {
  std::vector<ov::element::Type> elements;
  for (uint32_t i = 0; i < count; ++i) {
    elements.push_back(elementOf(types[i]->dtype));
    if (elements.back() == ov::element::dynamic)
      throw std::runtime_error("argument " + std::to_string(i) + " has a type that is not taken");
  }
  return elements;
}

Symbol::Symbol(std::span<const std::byte> blob, uint64_t region, const tessera_signature& signature)
    : engines_(blob, region),
      inputs_(elementsOf(signature.inputs, signature.num_inputs)),
      outputs_(elementsOf(signature.outputs, signature.num_outputs)) {}

State::State(Symbol& symbol, int numThreads)
    : symbol_(symbol), engine_(symbol.engines().acquire(numThreads)) {
  request_ = engine_->compiled.create_infer_request();
  inputs_.resize(symbol.inputs().size());
  outputs_.resize(symbol.outputs().size());
  if (engine_->compiled.inputs().size() != inputs_.size() ||
      engine_->compiled.outputs().size() != outputs_.size())
    throw std::runtime_error("the region has other arguments than its code");
}

static bool isSame(const ov::Tensor& bound, const tessera_dltensor& tensor) {
  if (!bound || bound.data() != tensor.data) return false;
  const ov::Shape& shape = bound.get_shape();
  return std::equal(shape.begin(), shape.end(), tensor.shape, tensor.shape + tensor.ndim,
                    [](size_t a, int64_t b) { return static_cast<int64_t>(a) == b; });
}

static ov::Tensor bind(const ov::element::Type& element, const tessera_dltensor& tensor) {
  const ov::Shape shape(tensor.shape, tensor.shape + tensor.ndim);
  return {element, shape, tensor.data};
}

/// OpenVINO computes in 32 bits what has 64, and says nothing.
static void checkNumbers(const tessera_dltensor& tensor, uint32_t index) {
  using Limits = std::numeric_limits<int32_t>;
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  const auto* numbers = static_cast<const int64_t*>(tensor.data);
  const auto isBeyond = [](int64_t number) {
    return number < Limits::min() || number > Limits::max();
  };
  if (std::any_of(numbers, numbers + count, isBeyond))
    throw std::runtime_error("input " + std::to_string(index) +
                             " has numbers of more than 32 bits, in which OpenVINO computes");
}

void State::bindInputs(const tessera_call& call) {
  for (uint32_t i = 0; i < call.num_inputs; ++i) {
    const tessera_dltensor& given = *call.inputs[i];
    if (symbol_.inputs()[i] == ov::element::i64) checkNumbers(given, i);
    if (isSame(inputs_[i], given)) continue;
    inputs_[i] = bind(symbol_.inputs()[i], given);
    request_.set_input_tensor(i, inputs_[i]);
  }
}

void State::bindOutputs(const tessera_call& call) {
  for (uint32_t i = 0; i < call.num_outputs; ++i) {
    const tessera_dltensor& given = *call.outputs[i];
    if (given.data == nullptr || isSame(outputs_[i], given)) continue;
    outputs_[i] = bind(symbol_.outputs()[i], given);
    request_.set_output_tensor(i, outputs_[i]);
  }
}

void State::copyOutputs(const tessera_call& call) {
  for (uint32_t i = 0; i < call.num_outputs; ++i) {
    if (call.outputs[i]->data != nullptr) continue;
    const ov::Tensor made = request_.get_output_tensor(i);
    const ov::Shape& shape = made.get_shape();
    const std::vector<int64_t> dims(shape.begin(), shape.end());
    const tessera_host_services* services = call.services;
    void* data =
        services->alloc_output(services->host, i, static_cast<uint32_t>(dims.size()), dims.data());
    if (data == nullptr)
      throw std::runtime_error("output " + std::to_string(i) + " cannot have the shape " +
                               shape.to_string());
    if (made.get_byte_size() > 0) std::memcpy(data, made.data(), made.get_byte_size());
  }
}

void State::run(const tessera_call& call) {
  bindInputs(call);
  bindOutputs(call);
  request_.infer();
  copyOutputs(call);
}

}  // namespace tessera_openvino
