#include "shared/openvino_model.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <sstream>

#include "openvino/frontend/manager.hpp"
#include "openvino/op/constant.hpp"
#include "shared/special_values.h"

namespace tessera_openvino {

ov::Core& core() {
  static auto* const instance = new ov::Core();  // Never deleted, see the header.
  return *instance;
}

namespace {

/// A reader and the model that it is at: the reader must live as long as what it reads.
struct Reading {
  explicit Reading(const std::string& proto) : bytes(proto) {
    static auto* const manager = new ov::frontend::FrontEndManager();  // As the core.
    frontEnd = manager->load_by_framework("onnx");
    std::istream* stream = &bytes;
    model = frontEnd->load(stream);
  }

  std::istringstream bytes;
  ov::frontend::FrontEnd::Ptr frontEnd;
  ov::frontend::InputModel::Ptr model;
};

}  // namespace

std::shared_ptr<ov::Model> readModel(const std::string& proto) {
  const Reading reading(proto);
  std::shared_ptr<ov::Model> model = reading.frontEnd->convert(reading.model);
  keepSpecialValues(*model);
  return model;
}

std::shared_ptr<ov::Model> readPartially(const std::string& proto) {
  const Reading reading(proto);
  return reading.frontEnd->convert_partially(reading.model);
}

void shareWeights(ov::Model& model, std::span<const std::span<const std::byte>> weights) {
  std::multimap<size_t, const std::byte*> bySize;
  for (const auto& weight : weights) bySize.emplace(weight.size(), weight.data());
  for (const auto& op : model.get_ordered_ops()) {
    const auto constant = ov::as_type_ptr<ov::op::v0::Constant>(op);
    if (!constant) continue;
    const auto [first, last] = bySize.equal_range(constant->get_byte_size());
    const auto equal = std::find_if(first, last, [&](const auto& weight) {
      return std::memcmp(weight.second, constant->get_data_ptr(), weight.first) == 0;
    });
    if (equal == last) continue;
    // OpenVINO's tensors have no form for memory that is only read.
    const ov::Tensor tensor(constant->get_element_type(), constant->get_shape(),
                            const_cast<std::byte*>(equal->second));
    const auto shared = std::make_shared<ov::op::v0::Constant>(tensor);
    shared->set_friendly_name(constant->get_friendly_name());
    ov::replace_node(constant, shared);
  }
}

ov::AnyMap cpuProperties(int numThreads) {
  return {ov::hint::inference_precision(ov::element::f32),
          ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY),
          ov::hint::dynamic_quantization_group_size(0),
          ov::hint::kv_cache_precision(ov::element::f32),
          ov::hint::enable_cpu_pinning(false),
          ov::hint::enable_hyper_threading(true),  // Else it takes fewer threads than it is told.
          ov::num_streams(1),
          ov::inference_num_threads(numThreads)};
}

std::string sentenceOf(const std::exception& error) {
  // The last line says what, those before say where in OpenVINO's sources.
  std::istringstream lines(error.what());
  std::string line, last = "OpenVINO gives no reason";
  while (std::getline(lines, line)) {
    const auto isSpace = [](unsigned char c) { return std::isspace(c) != 0; };
    line.erase(line.begin(), std::ranges::find_if_not(line, isSpace));
    if (!line.empty()) last = line;
  }
  constexpr size_t kMaxLength = 300;
  return last.substr(0, kMaxLength);
}

}  // namespace tessera_openvino
