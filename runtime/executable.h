// A loaded artifact: its bundle, with every call resolved to implementations that this machine can
// run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/reader.h"
#include "artifact/validate.h"
#include "base/mapped_file.h"
#include "runtime/aligned_memory.h"
#include "runtime/memory_slots.h"
#include "runtime/outcome.h"

namespace tessera::runtime {

class Description;

/// One way to run a call site.
struct Choice {
  const tessera_backend_runtime* backend = nullptr;
  void* instance = nullptr;
  void* symbol = nullptr;
  const artifact::Implementation* implementation =
      nullptr;  ///< In the bundle; guards still to check when dynamic.
};

/// A call instruction with its choices in order of preference.
struct CallSite {
  const artifact::CallInstruction* instruction = nullptr;  ///< In the bundle.
  std::vector<Choice> choices;                             ///< At least one.
};

/// Immutable after load; any number of contexts in any threads use it.
class Executable {
 public:
  struct Options {
    std::span<const tessera_backend_runtime* const>
        backends;  ///< Searched before the built-in ones.
    bool copyMemory = false;
    bool inspectOnly = false;  ///< Resolves nothing: no context can be created.
  };

  static Outcome loadFile(const char* path, const Options& options,
                          std::unique_ptr<Executable>& executable);
  static Outcome loadMemory(std::span<const std::byte> bytes, const Options& options,
                            std::unique_ptr<Executable>& executable);
  ~Executable();

  const artifact::Bundle& bundle() const { return artifact_.bundle; }
  /// The owner of each buffer's memory, by buffer.
  const std::vector<artifact::Root>& roots() const { return roots_; }
  /// Memory of the buffers that a context allocates.
  const MemorySlots& memorySlots() const { return memorySlots_; }
  /// By position in the program; empty choices for other instructions.
  const std::vector<CallSite>& callSites() const { return callSites_; }
  bool isRunnable() const { return isRunnable_; }
  /// Most workspace that any call site may ask for.
  uint64_t workspaceBytes() const { return workspaceBytes_; }
  const tessera_executable_info& info() const;
  Outcome verify() const;

  /// The region's first runnable implementation; its first declared one when it is never called.
  const artifact::Implementation& firstImplementationOf(uint32_t region) const;

 private:
  using ConstantUses = std::vector<uint32_t>;  ///< By constant: who reads its original.
  struct Instance {
    const tessera_backend_runtime* backend;
    uint32_t codeBlob;
    void* instance;
  };

  Executable() = default;
  Outcome load(std::span<const std::byte> bytes, const Options& options);
  Outcome parse(std::span<const std::byte> bytes);
  /// Of one blob that is about to be copied, or was.
  Outcome verify(const artifact::Blob& blob) const;
  Outcome makeRunnable(const Options& options);
  Outcome resolve(const artifact::CallInstruction& call, CallSite& site);
  Outcome resolveChoice(const artifact::CallInstruction& call,
                        const artifact::Implementation& implementation,
                        const tessera_backend_runtime& backend, Choice& choice);
  Outcome instanceFor(const tessera_backend_runtime& backend, uint32_t codeBlob, void*& instance);
  Outcome prepareConstants(const artifact::CallInstruction& call, const Choice& choice,
                           ConstantUses& uses);
  Outcome prepareAllConstants();
  ConstantUses countConstantUses() const;
  void releaseUnusedConstants(const ConstantUses& before, const ConstantUses& after) const;
  const tessera_backend_runtime* findBackend(const std::string& name) const;

  std::optional<base::MappedFile> file_;
  AlignedMemory copy_;
  artifact::Artifact artifact_;
  std::vector<const tessera_backend_runtime*> backends_;
  std::vector<Instance> instances_;
  std::vector<artifact::Root> roots_;
  MemorySlots memorySlots_;
  std::vector<CallSite> callSites_;
  uint64_t workspaceBytes_ = 0;
  bool isRunnable_ = false;
  std::unique_ptr<Description> description_;
};

}  // namespace tessera::runtime
