// The constants of an executable: who still reads the originals, and copies in device memory.
#pragma once

#include <vector>

#include "artifact/validate.h"
#include "runtime/backend/space.h"
#include "runtime/call_site.h"

namespace tessera::runtime {

/// One thread at a time. Bundle and roots outlive it.
class Constants {
 public:
  Constants(const artifact::Bundle& bundle, const std::vector<artifact::Root>& roots,
            const std::vector<CallSite>& sites);

  /// Lets the backend of a loaded choice re-pack the constants of its call. `packed` gets the
  /// constants that it will not read again. Errors: BACKEND_LOAD.
  Outcome prepare(const artifact::CallInstruction& call, const Choice& choice,
                  std::vector<uint32_t>& packed);

  /// Copies to devices what lives there and is still read. Errors: OUT_OF_MEMORY, KERNEL.
  Outcome placeOnDevices(const std::vector<Space>& spaces);

  /// Gives back the pages of originals in a mapped file that no loaded choice reads; they come back
  /// when they are read again.
  void dropUnread(std::span<const std::byte> file) const;

  /// Memory of a buffer of storage kConstant.
  void* dataOf(uint32_t buffer) const;

 private:
  /// By constant: uses of its original by instructions other than calls, outputs, and choices.
  struct Uses {
    uint32_t possible = 0;  ///< By choices that may still be loaded, too.
    uint32_t loaded = 0;
    bool wasUsed = false;
  };
  /// The constant that holds a buffer's memory; null for other memory.
  const uint32_t* constantOf(uint32_t buffer) const;
  void count(uint32_t buffer, uint32_t possible, uint32_t loaded);

  const artifact::Bundle& bundle_;
  const std::vector<artifact::Root>& roots_;
  std::vector<Uses> uses_;
  std::vector<SpaceMemory> copies_;  ///< By buffer; empty where none lives on a device.
};

}  // namespace tessera::runtime
