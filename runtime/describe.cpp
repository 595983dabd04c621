#include "runtime/describe.h"

#include <algorithm>
#include <set>

#include "artifact/fields.h"
#include "artifact/target_name.h"
#include "runtime/tensor_check.h"

namespace tessera::runtime {

namespace {

std::vector<const char*> pointersTo(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  pointers.reserve(strings.size());
  for (const std::string& string : strings) pointers.push_back(string.c_str());
  return pointers;
}

/// Sums the sizes of stored blobs, each counted once.
class DistinctBytes {
 public:
  void add(const artifact::Blob& blob) {
    if (blob.isExternal() || seen_.insert(blob.bytes().data()).second) total_ += blob.sizeBytes();
  }
  uint64_t total() const { return total_; }

 private:
  std::set<const std::byte*> seen_;
  uint64_t total_ = 0;
};

}  // namespace

const char* const* Description::keep(Names names) {
  // Moving the inner vectors when names_ grows leaves their elements where they are.
  names_.push_back(std::move(names));
  return names_.back().data();
}

const char* Description::keep(std::string text) {
  return texts_.emplace_back(std::move(text)).c_str();
}

void Description::addPorts(const artifact::Bundle& bundle, const std::vector<artifact::Port>& ports,
                           Table<tessera_tensor_info>& table) {
  for (const artifact::Port& port : ports) {
    const artifact::Buffer& buffer = bundle.buffers[port.buffer];
    Names dimNames = pointersTo(port.dimNames);
    dimNames.resize(buffer.dims.size(), "");
    table.entries.push_back({.name = port.name.c_str(),
                             .dtype = dtypeOf(buffer.elementType),
                             .rank = static_cast<int32_t>(buffer.dims.size()),
                             .dims = buffer.dims.data(),
                             .dim_names = keep(std::move(dimNames)),
                             .layout = buffer.layout.c_str(),
                             .memory_space = bundle.memorySpaces[buffer.memorySpace].name.c_str()});
  }
}

void Description::addRegions(const Executable& executable) {
  const artifact::Bundle& bundle = executable.bundle();
  for (uint32_t i = 0; i < bundle.regions.size(); ++i) {
    const artifact::Region& region = bundle.regions[i];
    const std::string& target = executable.firstImplementationOf(i).target;
    regions_.entries.push_back(
        {.name = region.name.c_str(),
         .backend = keep(artifact::targetNameOf(target)->kind),
         .op_kinds = region.opKinds.c_str(),
         .num_nodes = static_cast<uint32_t>(region.nodeNames.size()),
         .node_names = keep(pointersTo(region.nodeNames)),
         .flops = region.flops,
         .bytes = region.bytes,
         .num_implementations = static_cast<uint32_t>(region.implementations.size()),
         .target = target.c_str(),
         .num_fields = 0,
         .fields = nullptr});
    // Many small texts: only for those who look.
    if (!executable.isRunnable()) addFields(region, regions_.entries.back());
  }
}

void Description::addFields(const artifact::Region& region, tessera_region_info& info) {
  Table<tessera_metadata_entry>& table = fields_.emplace_back();
  for (auto& [name, text] : artifact::fieldTexts(region))
    table.entries.push_back({keep(std::move(name)), keep(std::move(text))});
  info.num_fields = static_cast<uint32_t>(table.entries.size());
  info.fields = table.finish();
}

/// What every implementation of some region asks of the CPU.
static std::vector<std::string> requiredCpuFeatures(const artifact::Bundle& bundle) {
  std::set<std::string> required;
  for (const artifact::Region& region : bundle.regions) {
    for (const std::string& feature : region.implementations.front().cpuFeatures) {
      const auto wants = [&](const artifact::Implementation& implementation) {
        return std::ranges::count(implementation.cpuFeatures, feature) > 0;
      };
      if (std::ranges::all_of(region.implementations, wants)) required.insert(feature);
    }
  }
  return {required.begin(), required.end()};
}

Description::Description(const Executable& executable, const artifact::Artifact& artifact) {
  const artifact::Bundle& bundle = artifact.bundle;
  addPorts(bundle, bundle.inputs, inputs_);
  addPorts(bundle, bundle.outputs, outputs_);
  addRegions(executable);
  for (const auto& [key, value] : bundle.metadata)
    metadata_.entries.push_back({key.c_str(), value.c_str()});
  Names features;
  for (std::string& feature : requiredCpuFeatures(bundle))
    features.push_back(keep(std::move(feature)));
  DistinctBytes constantBytes;
  for (const artifact::Constant& constant : bundle.constants) constantBytes.add(constant.data);
  DistinctBytes codeBytes;
  for (const artifact::Blob& blob : bundle.codeBlobs) codeBytes.add(blob);
  const auto isSizedAtRunTime = [](const artifact::Buffer& buffer) {
    return buffer.sizeBytes == artifact::kDynamic;
  };
  const bool isStatic = std::ranges::none_of(bundle.buffers, isSizedAtRunTime);
  const auto numRunTimeSized =
      std::ranges::count_if(bundle.buffers, [&](const artifact::Buffer& buffer) {
        const bool isOwned = buffer.storage == artifact::Storage::kOutput ||
                             buffer.storage == artifact::Storage::kDynamic;
        return isOwned && isSizedAtRunTime(buffer);
      });
  for (const artifact::MemorySpace& space : bundle.memorySpaces)
    spaces_.entries.push_back({.name = space.name.c_str(), .arena_bytes = space.arenaBytes});
  const auto sumOf = [&](uint64_t artifact::MemorySpace::* part) {
    uint64_t sum = 0;
    for (const artifact::MemorySpace& space : bundle.memorySpaces) sum += space.*part;
    return sum;
  };
  info_ = {.producer = bundle.producer.c_str(),
           .model_name = bundle.modelName.c_str(),
           .target = bundle.target.c_str(),
           .default_threads = bundle.defaultThreads,
           .num_inputs = static_cast<uint32_t>(bundle.inputs.size()),
           .num_outputs = static_cast<uint32_t>(bundle.outputs.size()),
           .num_regions = static_cast<uint32_t>(bundle.regions.size()),
           .num_metadata = static_cast<uint32_t>(bundle.metadata.size()),
           .num_cpu_features = static_cast<uint32_t>(features.size()),
           .inputs = inputs_.finish(),
           .outputs = outputs_.finish(),
           .regions = regions_.finish(),
           .metadata = metadata_.finish(),
           .cpu_features = keep(std::move(features)),
           .arena_bytes = sumOf(&artifact::MemorySpace::arenaBytes),
           .lower_bound_bytes = sumOf(&artifact::MemorySpace::lowerBoundBytes),
           .constant_bytes = constantBytes.total(),
           .code_bytes = codeBytes.total(),
           .num_constants = static_cast<uint32_t>(bundle.constants.size()),
           .num_instructions = static_cast<uint32_t>(bundle.program.size()),
           .is_static = isStatic ? 1 : 0,
           .num_run_time_sized_buffers = static_cast<uint32_t>(numRunTimeSized),
           .num_memory_spaces = static_cast<uint32_t>(spaces_.entries.size()),
           .memory_spaces = spaces_.finish()};
}

}  // namespace tessera::runtime
