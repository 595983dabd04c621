// C++ over the C ABI of runtime.h: owning handles, Result instead of status numbers. Header-only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tessera/element_type.h"
#include "tessera/runtime.h"
#include "tessera/status.h"

namespace tessera {

/// The DLPack type of an element type; {0, 0, 0} for kString and kUndefined.
constexpr tessera_dtype toDtype(ElementType type) {
  const auto bits = static_cast<uint8_t>(8 * elementSizeBytes(type));
  switch (type) {
    case ElementType::kBool:
      return {TESSERA_DTYPE_BOOL, bits, 1};
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return {TESSERA_DTYPE_UINT, bits, 1};
    case ElementType::kI8:
    case ElementType::kI16:
    case ElementType::kI32:
    case ElementType::kI64:
      return {TESSERA_DTYPE_INT, bits, 1};
    case ElementType::kF16:
    case ElementType::kF32:
    case ElementType::kF64:
      return {TESSERA_DTYPE_FLOAT, bits, 1};
    case ElementType::kBF16:
      return {TESSERA_DTYPE_BFLOAT, bits, 1};
    case ElementType::kUndefined:
    case ElementType::kString:
      return {0, 0, 0};
  }
  return {0, 0, 0};
}

/// The element type of a DLPack type; kUndefined for those Tessera does not know.
constexpr ElementType fromDtype(tessera_dtype dtype) {
  for (int number = 1; number <= static_cast<int>(ElementType::kBF16); ++number) {
    const auto type = static_cast<ElementType>(number);
    const tessera_dtype candidate = toDtype(type);
    if (candidate.bits != 0 && candidate.code == dtype.code && candidate.bits == dtype.bits &&
        dtype.lanes == 1) {
      return type;
    }
  }
  return ElementType::kUndefined;
}

/// The exit-code class of a runtime status.
constexpr ErrorCode errorCodeOf(tessera_status status) {
  if (status >= 400) return ErrorCode::kTargetFailed;
  return ErrorCode::kInvalidInput;
}

/// A loaded artifact. Immutable: any number of threads may use it at once. Outlives its contexts.
class Executable {
 public:
  struct LoadOptions {
    /// Runtime halves beside the built-in ones; must outlive the executable.
    std::span<const tessera_backend_runtime* const> backends = {};
    /// loadMemory only: copies the bytes and compares every blob with its checksum; otherwise they
    /// are borrowed and 64-byte aligned.
    bool copyMemory = false;
    /// Only for info and verify: opens artifacts for other machines too; contexts cannot be made.
    bool inspectOnly = false;
    /// The bytes of a content hash, for artifacts that refer to constants: 64-byte aligned, valid
    /// as long as the executable; empty when there are none.
    std::function<std::span<const std::byte>(const char* contentHash)> findConstant = {};
  };

  static Result<Executable> loadFile(const std::string& path) {
    return loadFile(path, LoadOptions{});
  }
  static Result<Executable> loadFile(const std::string& path, const LoadOptions& options) {
    const tessera_load_options raw = toRaw(options);
    return finish(path, [&](tessera_executable** handle, char* message, size_t size) {
      return tessera_executable_load_file(path.c_str(), &raw, handle, message, size);
    });
  }
  static Result<Executable> loadMemory(std::span<const std::byte> bytes) {
    return loadMemory(bytes, LoadOptions{});
  }
  static Result<Executable> loadMemory(std::span<const std::byte> bytes,
                                       const LoadOptions& options) {
    const tessera_load_options raw = toRaw(options);
    return finish("", [&](tessera_executable** handle, char* message, size_t size) {
      return tessera_executable_load_memory(bytes.data(), bytes.size(), &raw, handle, message,
                                            size);
    });
  }

  const tessera_executable_info& info() const {
    return *tessera_executable_describe(handle_.get());
  }

  /// Compares every blob with its checksum; reads the whole artifact.
  Status verify() const {
    char message[512] = "";
    const tessera_status status =
        tessera_executable_verify(handle_.get(), message, sizeof(message));
    if (status != TESSERA_OK) return Error{.code = errorCodeOf(status), .message = message};
    return {};
  }

  const tessera_executable* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(tessera_executable* handle) const { tessera_executable_destroy(handle); }
  };
  explicit Executable(tessera_executable* handle) : handle_(handle) {}

  static tessera_load_options toRaw(const LoadOptions& options) {
    tessera_load_options raw = {};
    raw.struct_size = sizeof(raw);
    raw.backends = options.backends.data();
    raw.num_backends = static_cast<uint32_t>(options.backends.size());
    raw.copy_memory = options.copyMemory ? 1 : 0;
    raw.inspect_only = options.inspectOnly ? 1 : 0;
    if (options.findConstant) {
      raw.constant_user = const_cast<LoadOptions*>(&options);
      raw.find_constant = [](void* user, const char* hash, uint64_t sizeBytes) -> const void* {
        const auto bytes = static_cast<LoadOptions*>(user)->findConstant(hash);
        return bytes.size() == sizeBytes ? bytes.data() : nullptr;
      };
    }
    return raw;
  }
  template <typename Load>
  static Result<Executable> finish(const std::string& file, const Load& load) {
    tessera_executable* handle = nullptr;
    char message[512] = "";
    const tessera_status status = load(&handle, message, sizeof(message));
    if (status != TESSERA_OK)
      return Error{.code = errorCodeOf(status), .message = message, .file = file};
    return Executable(handle);
  }

  std::unique_ptr<tessera_executable, Destroy> handle_;
};

/// One caller's state to run an executable; one thread at a time.
class Context {
 public:
  struct Options {
    int32_t numThreads = 0;  ///< 0: the artifact's default.
  };

  static Result<Context> create(const Executable& executable) {
    return create(executable, Options{});
  }
  static Result<Context> create(const Executable& executable, const Options& options) {
    tessera_context_options raw = {};
    raw.struct_size = sizeof(raw);
    raw.num_threads = options.numThreads;
    tessera_context* handle = nullptr;
    char message[512] = "";
    const tessera_status status =
        tessera_context_create(executable.handle(), &raw, &handle, message, sizeof(message));
    if (status != TESSERA_OK) return Error{.code = errorCodeOf(status), .message = message};
    return Context(handle);
  }

  /// Binds an input without copying; the data must stay valid until bound anew.
  Status setInput(const std::string& name, const tessera_dltensor& tensor) {
    return check(tessera_context_set_input(handle_.get(), name.c_str(), &tensor));
  }
  Status setInput(uint32_t index, const tessera_dltensor& tensor) {
    return check(tessera_context_set_input_at(handle_.get(), index, &tensor));
  }
  /// The same for a plain row-major tensor.
  Status setInput(uint32_t index, ElementType type, std::span<const int64_t> shape,
                  const void* data) {
    return setInput(index, plainTensor(type, shape, data));
  }
  Status setInput(const std::string& name, ElementType type, std::span<const int64_t> shape,
                  const void* data) {
    return setInput(name, plainTensor(type, shape, data));
  }

  /// Places an output of static shape in the caller's memory.
  Status setOutput(uint32_t index, const tessera_dltensor& tensor) {
    return check(tessera_context_set_output_at(handle_.get(), index, &tensor));
  }

  Status run() { return check(tessera_context_run(handle_.get())); }

  /// Borrowed from the context, valid until the next run.
  Result<tessera_dltensor> output(uint32_t index) {
    tessera_dltensor tensor = {};
    TESSERA_TRY_VOID(check(tessera_context_get_output_at(handle_.get(), index, &tensor)));
    return tensor;
  }
  Result<tessera_dltensor> output(const std::string& name) {
    tessera_dltensor tensor = {};
    TESSERA_TRY_VOID(check(tessera_context_get_output(handle_.get(), name.c_str(), &tensor)));
    return tensor;
  }

  Status setNumThreads(int32_t count) {
    return check(tessera_context_set_num_threads(handle_.get(), count));
  }
  Status setProfiling(bool enabled) {
    return check(tessera_context_set_profiling(handle_.get(), enabled ? 1 : 0));
  }
  /// One entry per region.
  std::span<const tessera_profile_entry> profile() const {
    const tessera_profile_entry* entries = nullptr;
    uint32_t count = 0;
    if (tessera_context_profile(handle_.get(), &entries, &count) != TESSERA_OK) return {};
    return {entries, count};
  }
  Status setTracing(bool enabled) {
    return check(tessera_context_set_tracing(handle_.get(), enabled ? 1 : 0));
  }
  /// Borrowed from the context, valid until the next run.
  std::span<const tessera_trace_event> trace() const {
    const tessera_trace_event* events = nullptr;
    uint32_t count = 0;
    if (tessera_context_trace(handle_.get(), &events, &count) != TESSERA_OK) return {};
    return {events, count};
  }
  void touchMemory() const { tessera_context_touch_memory(handle_.get()); }
  void fillMemory(uint8_t value) { tessera_context_fill_memory(handle_.get(), value); }
  uint64_t memoryBytes() const { return tessera_context_memory_bytes(handle_.get()); }

  tessera_context* handle() const { return handle_.get(); }

  /// A compact row-major host tensor over borrowed memory.
  static tessera_dltensor plainTensor(ElementType type, std::span<const int64_t> shape,
                                      const void* data) {
    tessera_dltensor tensor = {};
    tensor.data = const_cast<void*>(data);  // DLPack has no const; inputs are never written.
    tensor.device = {.device_type = TESSERA_DEVICE_CPU, .device_id = 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = toDtype(type);
    tensor.shape = const_cast<int64_t*>(shape.data());
    return tensor;
  }

 private:
  struct Destroy {
    void operator()(tessera_context* handle) const { tessera_context_destroy(handle); }
  };
  explicit Context(tessera_context* handle) : handle_(handle) {}

  Status check(tessera_status status) const {
    if (status == TESSERA_OK) return {};
    return Error{.code = errorCodeOf(status), .message = tessera_context_message(handle_.get())};
  }

  std::unique_ptr<tessera_context, Destroy> handle_;
};

}  // namespace tessera
