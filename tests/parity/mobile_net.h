// MobileNet v1 in small: its graph with few channels and pixels.
#pragma once

#include <string>

namespace tessera::tests {

/// A module whose main takes an image [1, 2, 8, 8] and gives 5 probabilities: 27 convolutions (the
/// first, then 13 times one by channels and one across them), each with a bias, which is added, and
/// a relu behind it; the mean over all pixels, flattened; a product with weights; softmax. Weights
/// are constants.
std::string mobileNet();

}  // namespace tessera::tests
