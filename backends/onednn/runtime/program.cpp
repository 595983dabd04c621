#include "backends/onednn/runtime/program.h"

#include <algorithm>
#include <new>

namespace tessera::backend_onednn {

static constexpr std::align_val_t kAlignment{TESSERA_BUFFER_ALIGNMENT};

PackedBytes::PackedBytes(size_t size)
    : data_(::operator new(std::max<size_t>(size, 1), kAlignment)) {}
PackedBytes::~PackedBytes() { ::operator delete(data_, kAlignment); }

Place Program::addScratch(size_t sizeBytes) {
  scratch_.push_back({.sizeBytes = sizeBytes, .first = -1, .last = -1});
  return {.storage = Storage::kScratch, .index = scratch_.size() - 1};
}

Place Program::addConstant(std::shared_ptr<const PackedBytes> bytes) {
  constants_.push_back(std::move(bytes));
  return {.storage = Storage::kConstant, .index = constants_.size() - 1};
}

void Program::use(const Value& value) {
  operands_.push_back({.memory = dnnl::memory(value.desc, engine_, nullptr), .place = value.place});
  if (value.place.storage != Storage::kScratch) return;
  region_graph::Scratch& scratch = scratch_[value.place.index];
  const auto now = static_cast<int64_t>(steps_.size());
  if (scratch.first < 0) scratch.first = now;
  scratch.last = now;
}

void Program::add(const dnnl::primitive& primitive,
                  const std::vector<std::pair<int, Value>>& arguments,
                  const dnnl::memory::desc& scratchpad) {
  std::vector<std::pair<int, Value>> all = arguments;
  if (const size_t bytes = scratchpad.get_size(); bytes > 0)
    all.emplace_back(DNNL_ARG_SCRATCHPAD, Value{.desc = scratchpad, .place = addScratch(bytes)});
  Step step{.primitive = primitive, .arguments = {}, .loop = {}, .operands = {}};
  for (const auto& [number, value] : all) {
    use(value);
    step.arguments.push_back({number, operands_.back().memory.get()});
  }
  steps_.push_back(std::move(step));
}

void Program::add(const Loop& loop, const Value& a, const Value* b, const Value& y) {
  Step step{.primitive = {}, .arguments = {}, .loop = loop, .operands = {}};
  for (const Value* value : {&a, b != nullptr ? b : &a, &y}) {
    step.operands.push_back(operands_.size());
    use(*value);
  }
  steps_.push_back(std::move(step));
}

uint64_t Program::finish() {
  workspaceBytes_ = region_graph::placeScratch(scratch_);
  return workspaceBytes_;
}

bool Program::hasAllConstants() const { return std::ranges::count(constants_, nullptr) == 0; }

bool Program::readsInput(size_t index) const {
  const Place input{.storage = Storage::kInput, .index = index};
  return std::ranges::any_of(operands_,
                             [&](const Operand& operand) { return operand.place == input; });
}

void* Program::addressOf(Place place, const tessera_call& call, void* workspace) const {
  switch (place.storage) {
    case Storage::kInput:
      return call.inputs[place.index]->data;
    case Storage::kOutput:
      return call.outputs[place.index]->data;
    case Storage::kConstant:
      return constants_[place.index]->data();
    case Storage::kScratch:
      return static_cast<std::byte*>(workspace) + scratch_[place.index].offset;
  }
  return nullptr;
}

int Program::run(const tessera_call& call, void* workspace) {
  for (Operand& operand : operands_) {
    void* address = addressOf(operand.place, call, workspace);
    if (address == operand.bound) continue;
    if (const auto status = dnnl_memory_set_data_handle(operand.memory.get(), address))
      return status;
    operand.bound = address;
  }
  const auto address = [&](const Step& step, size_t operand) {
    return static_cast<float*>(operands_[step.operands[operand]].bound);
  };
  for (const Step& step : steps_) {
    if (step.loop) {
      step.loop->run(*call.services, address(step, 0), address(step, 1), address(step, 2));
      continue;
    }
    const auto status =
        dnnl_primitive_execute(step.primitive.get(), stream_.get(),
                               static_cast<int>(step.arguments.size()), step.arguments.data());
    if (status != dnnl_success) return status;
  }
  return dnnl_stream_wait(stream_.get());
}

}  // namespace tessera::backend_onednn
