#include "compile_half/regions.h"

#include <sys/mman.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "compile_half/onnx_graph.h"
#include "openvino/op/util/framework_node.hpp"
#include "shared/element_types.h"
#include "shared/openvino_model.h"
#include "shared/weight_pointers.h"

namespace tessera_openvino {

/// Memory of at least `size` bytes that reads as zeros and costs none. It stays: what was compiled
/// may point to it.
static const void* zeros(uint64_t size) {
  static const void* memory = nullptr;
  static uint64_t capacity = 0;
  if (size > capacity) {
    void* mapped =
        mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("memory is short");
    memory = mapped;
    capacity = size;
  }
  return memory;
}

std::string withAddresses(const tessera_onnx_model& model) {
  PointerModel pointers = pointToWeights(model);
  for (const AddressPlace& place : pointers.places) {
    const tessera_weight& weight = *model.weights[place.weight];
    setAddress(pointers.proto, place.position,
               weight.data != nullptr ? weight.data : zeros(weight.data_size));
  }
  return std::move(pointers.proto);
}

/// Whether a port has another's name and not its own. It may have neither: what changes nothing is
/// left out of OpenVINO's model, and one of two names with it.
static bool isOther(const ov::Output<ov::Node>& port, const std::vector<std::string>& names,
                    size_t index) {
  const auto has = [&](const std::string& name) { return port.get_names().contains(name); };
  return !has(names[index]) && std::ranges::any_of(names, has);
}

void tryRegion(const tessera_onnx_model& region) {
  const std::string proto = withAddresses(region);
  const OnnxGraph graph = readGraph(proto);
  const std::shared_ptr<ov::Model> model = readModel(proto);
  if (model->inputs().size() != graph.inputs.size() ||
      model->outputs().size() != graph.outputs.size())
    throw std::runtime_error("OpenVINO gives the region other inputs or outputs");
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (isOther(model->input(i), graph.inputs, i))
      throw std::runtime_error("OpenVINO takes the region's inputs in another order");
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    if (isOther(model->output(i), graph.outputs, i))
      throw std::runtime_error("OpenVINO gives the region's outputs in another order");
  }
  core().compile_model(model, kDevice, cpuProperties(1));
}

std::vector<OutputType> inferOutputs(const tessera_onnx_model& node) {
  const std::string proto = withAddresses(node);
  const OnnxGraph graph = readGraph(proto);
  const std::shared_ptr<ov::Model> model = readPartially(proto);
  for (const auto& op : model->get_ops()) {
    if (ov::is_type<ov::op::util::FrameworkNode>(op))
      throw std::runtime_error("OpenVINO's ONNX reader does not know it");
  }
  std::vector<OutputType> types;
  const std::vector<std::string>& names = graph.nodes.at(0).outputs;
  for (const ov::Output<ov::Node>& output : model->outputs()) {
    const std::optional<tessera_dtype> dtype = dtypeOf(output.get_element_type());
    const ov::PartialShape& shape = output.get_partial_shape();
    const auto name = std::ranges::find_if(
        names, [&](const std::string& text) { return output.get_names().contains(text); });
    if (name == names.end() || !dtype || shape.rank().is_dynamic()) continue;
    OutputType& type = types.emplace_back();
    type.output = static_cast<uint32_t>(name - names.begin());
    type.dtype = *dtype;
    for (const ov::Dimension& dim : shape)
      type.dims.push_back(dim.is_static() ? dim.get_length() : -1);
  }
  return types;
}

}  // namespace tessera_openvino
