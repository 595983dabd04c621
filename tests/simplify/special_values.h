// Functions made to be rewritten, with constants that arithmetic has special rules for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// NaN, infinities, zeros of both signs, denormal and ordinary numbers.
const std::vector<float>& specialValues();

/// The text of a module whose functions take tensors of `specialValues().size()` times some f32
/// elements and hold what each rewrite of simplify looks for. The same seed gives the same module.
std::string makeSpecialModule(uint32_t seed);

}  // namespace tessera
