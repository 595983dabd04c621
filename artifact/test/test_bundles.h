// Bundles for tests, with kernels of runtime/test/test_kernels.c as their code.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "artifact/bundle.h"

namespace tessera::artifact::test {

/// A plain f32 buffer (other types by elementType) of the right size.
Buffer plainBuffer(std::vector<int64_t> dims, Storage storage,
                   ElementType elementType = ElementType::kF32);

/// The same in the arena.
Buffer arenaBuffer(std::vector<int64_t> dims, uint64_t offset);

/// A region with one native implementation whose symbol is its name.
Region kernelRegion(const std::string& symbol);

/// y = 2 * (x + c), [2, 8] f32, c constant, the sum in the arena.
Bundle staticBundle(std::span<const std::byte> code);

/// y = x doubled, both [?, 3] f32 with first dimension "batch"; z = y as [?].
Bundle dynamicBundle(std::span<const std::byte> code);

}  // namespace tessera::artifact::test
