// A loaded artifact: its bundle, with every call resolved to implementations that this machine can
// run.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/reader.h"
#include "artifact/validate.h"
#include "base/mapped_file.h"
#include "runtime/call_site.h"
#include "runtime/constants.h"
#include "runtime/memory/memory_slots.h"
#include "runtime/resources.h"

namespace tessera::runtime {

class Description;

/// Immutable after load, but for implementations that are loaded when another one failed; any
/// number of contexts in any threads use it.
class Executable {
 public:
  struct Options {
    std::span<const tessera_backend_runtime* const> backends;  ///< Searched before all others.
    /// Bytes of constants that the artifact refers to only; may be null.
    const void* (*findConstant)(void* user, const char* contentHash, uint64_t sizeBytes) = nullptr;
    void* findConstantUser = nullptr;
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
  /// By index into the bundle's memory spaces.
  const std::vector<Space>& spaces() const { return spaces_; }
  const Space& spaceOf(uint32_t buffer) const {
    return spaces_[bundle().buffers[buffer].memorySpace];
  }
  /// Memory of a buffer of storage kConstant.
  void* constantData(uint32_t buffer) const { return constants_->dataOf(buffer); }
  /// Memory of the buffers that a context allocates.
  const MemorySlots& memorySlots() const { return memorySlots_; }
  /// By position in the program.
  const std::vector<CallSite>& callSites() const { return callSites_; }
  bool isRunnable() const { return isRunnable_; }
  const tessera_executable_info& info() const;
  Outcome verify() const;

  /// Loads the choice of the call site unless that was tried before: device, code, symbol and
  /// constants. Its outcome is the same when asked again. Any thread.
  Outcome load(const CallSite& site, Choice& choice) const;

  /// The region's first loaded implementation; its first declared one when it is never called.
  const artifact::Implementation& firstImplementationOf(uint32_t region) const;

 private:
  Executable() = default;
  Outcome load(std::span<const std::byte> bytes, const Options& options);
  Outcome parse(std::span<const std::byte> bytes);
  /// Of one blob that is about to be copied, or was.
  Outcome verify(const artifact::Blob& blob) const;
  Outcome provideConstants(const Options& options);
  Outcome makeRunnable(const Options& options);
  Outcome openSpaces();
  /// Loads what may run: choices up to the first that loads and is certain.
  Outcome resolve(const CallSite& site) const;
  Outcome tryLoad(const artifact::CallInstruction& call, Choice& choice) const;
  Outcome checkSpaces(const artifact::CallInstruction& call, const Device& device) const;

  std::optional<base::MappedFile> file_;
  AlignedMemory copy_;
  artifact::Artifact artifact_;
  std::vector<artifact::Root> roots_;
  MemorySlots memorySlots_;
  mutable std::mutex loading_;  ///< Guards resources, constants and the choices that are loaded.
  std::unique_ptr<Resources> resources_;
  std::vector<Space> spaces_;
  std::vector<CallSite> callSites_;
  std::unique_ptr<Constants> constants_;  ///< Destroyed before the devices that hold some.
  bool isRunnable_ = false;
  std::unique_ptr<Description> description_;
};

/// Why no implementation of a region can run, from what is wrong with each: its own words where it
/// is alone.
Outcome noImplementation(const artifact::Region& region,
                         std::span<const std::pair<std::string, Outcome>> failures);

}  // namespace tessera::runtime
