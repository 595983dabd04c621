// ELF objects -> one ELF shared object.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::lowering {

struct LinkOptions {
  std::string soname;  ///< DT_SONAME; none when empty.
};

/// Links `objects` into a shared object with the linker in this process. libm.so.6 and libc.so.6
/// become DT_NEEDED only when a symbol of theirs is used; any other undefined symbol is an error.
/// Same input, same bytes. Thread-safe (calls take turns: the linker has global state). The
/// linker's own words are the notes of the error.
Result<std::vector<uint8_t>> linkShared(std::span<const std::vector<uint8_t>> objects,
                                        const LinkOptions& options = {});

}  // namespace tessera::lowering
