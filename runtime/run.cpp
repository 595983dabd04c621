// Executing the host program: one step per instruction.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>

#include "base/limits.h"
#include "base/shape_text.h"
#include "runtime/context.h"
#include "runtime/parallel_for.h"
#include "runtime/refusal_text.h"
#include "runtime/struct_size.h"
#include "runtime/tensor_check.h"

namespace tessera::runtime {

using artifact::kDynamic;

void Context::initServices() {
  services_.size = sizeof(services_);
  services_.host = this;
  services_.parallel_for = [](void* host, int64_t n, void (*body)(void*, int64_t, int64_t),
                              void* context) -> int32_t {
    parallelFor(n, static_cast<Context*>(host)->numThreads_, body, context);
    return static_cast<Context*>(host)->wasScratchShort() ? 1 : 0;
  };
  services_.alloc_output = [](void* host, uint32_t index, uint32_t rank, const int64_t* dims) {
    return static_cast<Context*>(host)->allocOutput(index, rank, dims);
  };
  services_.workspace = [](void* host, size_t bytes) -> void* {
    AlignedMemory& workspace = static_cast<Context*>(host)->workspace_;
    return workspace.reserve(bytes) ? workspace.data() : nullptr;
  };
  services_.log = [](void* host, int32_t level, const char* message) {
    if (level == TESSERA_LOG_ERROR && message != nullptr)
      static_cast<Context*>(host)->backendMessage_ = message;
  };
  services_.num_threads = [](void* host) { return static_cast<Context*>(host)->numThreads_; };
  services_.refuse = [](void* host, uint32_t node, const char* text, int64_t found,
                        int64_t expected) {
    static_cast<Context*>(host)->refuse(node, text != nullptr ? text : "", found, expected);
  };
  services_.allocate = [](void* host, size_t bytes) {
    return static_cast<Context*>(host)->scratch_[threadOfParallelFor()].allocate(bytes);
  };
  services_.release = [](void* host, void* memory) {
    static_cast<Context*>(host)->scratch_[threadOfParallelFor()].release(memory);
  };
}

bool Context::wasScratchShort() const {
  return std::ranges::any_of(scratch_, &ScratchMemory::wasShort);
}

uint64_t Context::sizeBytesNow(uint32_t buffer) const {
  if (isStatic(buffer)) return static_cast<uint64_t>(bundle_.buffers[buffer].sizeBytes);
  uint64_t size = elementSizeBytes(bundle_.buffers[buffer].elementType);
  const tessera_dltensor& tensor = tensors_[buffer];
  for (int32_t i = 0; i < tensor.ndim; ++i) size *= static_cast<uint64_t>(tensor.shape[i]);
  return size;
}

Outcome Context::checkInputs() const {
  for (size_t i = 0; i < isInputSet_.size(); ++i) {
    if (!isInputSet_[i]) {
      return failure(TESSERA_ERROR_INPUT_NOT_SET,
                     "input '" + bundle_.inputs[i].name + "' is not set");
    }
  }
  for (const EqualDims& pair : equalDims_) {
    const artifact::Port& first = bundle_.inputs[pair.firstInput];
    const artifact::Port& second = bundle_.inputs[pair.input];
    const int64_t firstSize = tensors_[first.buffer].shape[pair.firstDim];
    const int64_t secondSize = tensors_[second.buffer].shape[pair.dim];
    if (firstSize != secondSize) {
      return failure(TESSERA_ERROR_SHAPE, "dimension '" + first.dimNames[pair.firstDim] + "' is " +
                                              std::to_string(firstSize) + " in input '" +
                                              first.name + "' but " + std::to_string(secondSize) +
                                              " in input '" + second.name + "'");
    }
  }
  return {};
}

Outcome Context::run() {
  hasRun_ = false;
  TESSERA_RUNTIME_TRY(checkInputs());
  for (size_t i = 0; i < bundle_.program.size(); ++i) TESSERA_RUNTIME_TRY(execute(i));
  for (size_t i = 0; i < placements_.size(); ++i) {
    const uint32_t buffer = bundle_.outputs[i].buffer;
    if (placements_[i].data == nullptr || !placements_[i].isCopied) continue;
    std::memcpy(placements_[i].data, tensors_[buffer].data, sizeBytesNow(buffer));
  }
  hasRun_ = true;
  return {};
}

Outcome Context::execute(size_t position) {
  const artifact::Instruction& instruction = bundle_.program[position];
  if (const auto* copyInstruction = std::get_if<artifact::CopyInstruction>(&instruction))
    return copy(*copyInstruction);
  if (const auto* viewInstruction = std::get_if<artifact::ViewInstruction>(&instruction))
    return view(*viewInstruction);
  const CallSite& site = executable_.callSites()[position];
  if (!isProfiling_) return call(site, arguments_[position]);
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome = call(site, arguments_[position]);
  const auto time = std::chrono::steady_clock::now() - start;
  tessera_profile_entry& entry = profile_[site.instruction->region];
  ++entry.count;
  entry.time_ns += static_cast<uint64_t>(std::chrono::nanoseconds(time).count());
  return outcome;
}

const Choice* Context::choose(const CallSite& site) const {
  for (const Choice& choice : site.choices) {
    const bool holds =
        std::ranges::all_of(choice.implementation->dimGuards, [&](const artifact::DimGuard& guard) {
          const int64_t dim = tensors_[site.instruction->inputs[guard.input]].shape[guard.dim];
          return dim >= guard.minimum && dim <= guard.maximum;
        });
    if (holds) return &choice;
  }
  return nullptr;
}

/// The ONNX nodes that a region comes from: " (node 'a')", " (nodes 'a' to 'b')", or nothing.
static std::string nodesText(const artifact::Region& region) {
  const std::vector<std::string>& names = region.nodeNames;
  if (names.empty()) return "";
  if (names.size() == 1) return " (node '" + names[0] + "')";
  return " (nodes '" + names.front() + "' to '" + names.back() + "')";
}

Outcome Context::call(const CallSite& site, Arguments& arguments) {
  const std::string& region = bundle_.regions[site.instruction->region].name;
  const Choice* choice = choose(site);
  if (choice == nullptr) {
    return failure(TESSERA_ERROR_BACKEND,
                   "no implementation of region '" + region + "' accepts the shapes of this run");
  }
  current_ = site.instruction;
  backendMessage_.clear();
  allocationFailure_ = {};
  refusal_ = {};
  if (arguments.hasDynamicOutput) {
    for (const uint32_t output : current_->outputs) {
      if (!isStatic(output)) tensors_[output].data = nullptr;
    }
  }
  Outcome outcome = callChoice(*choice, arguments);
  if (outcome.ok() && arguments.hasDynamicOutput) {
    for (size_t i = 0; i < arguments.outputs.size() && outcome.ok(); ++i) {
      if (arguments.outputs[i]->data == nullptr) {
        outcome =
            failure(TESSERA_ERROR_KERNEL, "it did not allocate its output " + std::to_string(i));
      }
    }
  }
  current_ = nullptr;
  if (outcome.ok()) return outcome;
  const std::string nodes =
      refusal_.ok() ? nodesText(bundle_.regions[site.instruction->region]) : "";
  outcome.message = "region '" + region + "'" + nodes + ": " + outcome.message;
  return outcome;
}

Outcome Context::callChoice(const Choice& choice, Arguments& arguments) {
  const tessera_call call = {.size = sizeof(call),
                             .num_inputs = static_cast<uint32_t>(arguments.inputs.size()),
                             .num_outputs = static_cast<uint32_t>(arguments.outputs.size()),
                             .num_wait_events = 0,
                             .services = &services_,
                             .symbol = choice.symbol,
                             .inputs = arguments.inputs.data(),
                             .outputs = arguments.outputs.data(),
                             .wait_events = nullptr,
                             .signal_event = nullptr};
  if (arguments.hasDynamicOutput) TESSERA_RUNTIME_TRY(inferShapes(choice, call, arguments));
  const int32_t code = choice.backend->run(choice.instance, &call);
  const bool wasShort = wasScratchShort();
  for (ScratchMemory& scratch : scratch_) scratch.releaseAll();
  if (!refusal_.ok()) return refusal_;
  if (wasShort)
    return failure(TESSERA_ERROR_OUT_OF_MEMORY, "no memory for the temporaries of a kernel");
  if (!allocationFailure_.ok()) return allocationFailure_;
  if (code == 0) return {};
  if (!backendMessage_.empty()) return failure(TESSERA_ERROR_KERNEL, backendMessage_);
  return failure(TESSERA_ERROR_KERNEL, std::string("backend '") + choice.backend->name +
                                           "' returned error " + std::to_string(code));
}

Outcome Context::inferShapes(const Choice& choice, const tessera_call& call, Arguments& arguments) {
  const tessera_backend_runtime& backend = *choice.backend;
  const bool isKnown = knowsField(backend, backend.size, &tessera_backend_runtime::infer_shapes);
  if (!isKnown || backend.infer_shapes == nullptr) return {};
  const int32_t code = backend.infer_shapes(choice.instance, &call, arguments.dynamicDims.data());
  if (code != 0) {
    return failure(TESSERA_ERROR_KERNEL,
                   !backendMessage_.empty() ? backendMessage_ : "it cannot infer its shapes");
  }
  for (const uint32_t output : current_->outputs) {
    const tessera_dltensor& tensor = tensors_[output];
    TESSERA_RUNTIME_TRY(allocateBuffer(output, static_cast<uint32_t>(tensor.ndim), tensor.shape));
  }
  return {};
}

Outcome Context::setDims(uint32_t buffer, uint32_t rank, const int64_t* dims, uint64_t& sizeBytes) {
  const artifact::Buffer& declared = bundle_.buffers[buffer];
  bool fits = rank == declared.dims.size(), isTooLarge = false;
  sizeBytes = elementSizeBytes(declared.elementType);
  for (uint32_t i = 0; fits && i < rank; ++i) {
    fits = dims[i] >= 0 && (declared.dims[i] == kDynamic || declared.dims[i] == dims[i]);
    isTooLarge |=
        fits && __builtin_mul_overflow(sizeBytes, static_cast<uint64_t>(dims[i]), &sizeBytes);
  }
  if (!fits || isTooLarge) {
    // dims may be this tensor's own shape, filled by infer_shapes.
    const std::string reason = fits ? ", which is too large for any memory"
                                    : ", declared is " + base::shapeText(declared.dims);
    Outcome outcome = failure(TESSERA_ERROR_SHAPE,
                              "a tensor got shape " + base::shapeText({dims, rank}) + reason);
    std::ranges::copy(declared.dims, tensors_[buffer].shape);
    return outcome;
  }
  std::copy_n(dims, rank, tensors_[buffer].shape);
  return {};
}

Outcome Context::allocateBuffer(uint32_t buffer, uint32_t rank, const int64_t* dims) {
  uint64_t sizeBytes = 0;
  TESSERA_RUNTIME_TRY(setDims(buffer, rank, dims, sizeBytes));
  if (isStatic(buffer)) return {};  // Has its memory already.
  if (!reserveRoot(buffer, sizeBytes)) {
    return failure(TESSERA_ERROR_OUT_OF_MEMORY,
                   "no memory for a tensor of " + std::to_string(sizeBytes) + " bytes");
  }
  return {};
}

void Context::refuse(uint32_t node, std::string_view text, int64_t found, int64_t expected) {
  if (current_ == nullptr) return;
  const std::vector<std::string>& names = bundle_.regions[current_->region].nodeNames;
  const std::string place = node < names.size() ? "node '" + names[node] + "': " : "";
  refusal_ = failure(TESSERA_ERROR_SHAPE, place + refusalText(text, found, expected));
}

void* Context::allocOutput(uint32_t index, uint32_t rank, const int64_t* dims) {
  if (current_ == nullptr || index >= current_->outputs.size() || (rank > 0 && dims == nullptr))
    return nullptr;
  const uint32_t buffer = current_->outputs[index];
  allocationFailure_ = allocateBuffer(buffer, rank, dims);
  return allocationFailure_.ok() ? tensors_[buffer].data : nullptr;
}

Outcome Context::copy(const artifact::CopyInstruction& copy) {
  const tessera_dltensor& source = tensors_[copy.source];
  if (!isStatic(copy.destination)) {
    TESSERA_RUNTIME_TRY(
        allocateBuffer(copy.destination, static_cast<uint32_t>(source.ndim), source.shape));
  }
  const uint64_t sourceSize = sizeBytesNow(copy.source);
  const uint64_t destinationSize = sizeBytesNow(copy.destination);
  auto size = static_cast<uint64_t>(copy.sizeBytes);
  if (copy.sizeBytes == kDynamic) size = sourceSize - std::min(sourceSize, copy.sourceOffset);
  const bool fits = copy.sourceOffset <= sourceSize && size <= sourceSize - copy.sourceOffset &&
                    copy.destinationOffset <= destinationSize &&
                    size <= destinationSize - copy.destinationOffset;
  if (!fits) {
    return failure(TESSERA_ERROR_SHAPE, "a copy of " + std::to_string(size) +
                                            " bytes does not fit between tensors of " +
                                            std::to_string(sourceSize) + " and " +
                                            std::to_string(destinationSize) + " bytes");
  }
  // Views may overlap.
  std::memmove(dataOf(copy.destination) + copy.destinationOffset,
               dataOf(copy.source) + copy.sourceOffset, size);
  return {};
}

/// The shape that a view instruction gives: `asked` with its placeholders replaced, except one open
/// dimension.
static Outcome resolveViewDims(std::span<const int64_t> asked, bool isReshape,
                               const tessera_dltensor& viewed, uint64_t elementSize,
                               uint64_t availableBytes, int64_t* dims) {
  uint64_t known = elementSize;
  size_t open = asked.size();
  for (size_t i = 0; i < asked.size(); ++i) {
    dims[i] = asked[i];
    if (isReshape && asked[i] == 0 && i < static_cast<size_t>(viewed.ndim))
      dims[i] = viewed.shape[i];
    if (!isReshape && asked[i] < kDynamic) dims[i] = viewed.shape[-2 - asked[i]];
    const bool isOpen = dims[i] == kDynamic && open == asked.size();
    if (isOpen) {
      open = i;
    } else if (dims[i] < 0 ||
               __builtin_mul_overflow(known, static_cast<uint64_t>(dims[i]), &known)) {
      return failure(TESSERA_ERROR_SHAPE, "a reshape asks for shape " + base::shapeText(asked));
    }
  }
  if (open < asked.size())
    dims[open] = known == 0 ? 0 : static_cast<int64_t>(availableBytes / known);
  return {};
}

Outcome Context::view(const artifact::ViewInstruction& instruction) {
  const artifact::Buffer& buffer = bundle_.buffers[instruction.view];
  const uint64_t viewedSize = sizeBytesNow(buffer.index);
  const size_t rank = buffer.dims.size();
  const bool isReshape = instruction.shapeBuffer != artifact::kNoBuffer;
  std::span<const int64_t> asked(instruction.dims);
  if (isReshape) {
    const auto count = static_cast<size_t>(sizeBytesNow(instruction.shapeBuffer) / sizeof(int64_t));
    if (count != rank) {
      return failure(TESSERA_ERROR_SHAPE, "a reshape to rank " + std::to_string(rank) + " got " +
                                              std::to_string(count) + " sizes");
    }
    asked = {reinterpret_cast<const int64_t*>(dataOf(instruction.shapeBuffer)), count};
  }
  std::array<int64_t, base::kMaxRank> dims = {};
  const uint64_t available = viewedSize - std::min(viewedSize, buffer.offset);
  TESSERA_RUNTIME_TRY(resolveViewDims(asked, isReshape, tensors_[buffer.index],
                                      elementSizeBytes(buffer.elementType), available,
                                      dims.data()));
  uint64_t size = 0;
  TESSERA_RUNTIME_TRY(setDims(instruction.view, static_cast<uint32_t>(rank), dims.data(), size));
  if (buffer.offset > viewedSize || size > available) {
    return failure(TESSERA_ERROR_SHAPE,
                   "a view of shape " + base::shapeText(std::span(dims).first(rank)) +
                       " does not fit into a tensor of " + std::to_string(viewedSize) + " bytes");
  }
  if (isReshape && size != viewedSize) {
    return failure(TESSERA_ERROR_SHAPE,
                   "a reshape to " + base::shapeText(std::span(dims).first(rank)) +
                       " does not use all " + std::to_string(viewedSize) + " bytes of its tensor");
  }
  return {};
}

}  // namespace tessera::runtime
