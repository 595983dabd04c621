#include "tests/parity/mobile_net.h"

namespace tessera::tests {

static std::string constant(const std::string& name, double value, const std::string& type) {
  return name + " = tsr.constant dense<" + std::to_string(value) + "> : " + type + " -> " + type +
         "\n";
}

/// Convolution number `number`, of %r<number - 1>; each with weights of its own.
static std::string layer(int number, bool isByChannel) {
  const std::string id = std::to_string(number), x = "tensor<1x2x8x8xf32>";
  const std::string weights = isByChannel ? "tensor<2x1x3x3xf32>" : "tensor<2x2x1x1xf32>";
  const std::string attributes =
      isByChannel ? " {group = 2 : i64, pads = array<i64: 1, 1, 1, 1>}" : "";
  return constant("%w" + id, 0.1 + 0.01 * number, weights) +
         constant("%b" + id, 0.02 * number - 0.2, "tensor<2x1x1xf32>") + "%c" + id +
         " = tsr.conv %r" + std::to_string(number - 1) + ", %w" + id + attributes + " : (" + x +
         ", " + weights + ") -> " + x + "\n" + "%s" + id + " = tsr.add %c" + id + ", %b" + id +
         " : (" + x + ", tensor<2x1x1xf32>) -> " + x + "\n" + "%r" + id + " = tsr.relu %s" + id +
         " : (" + x + ") -> " + x + "\n";
}

std::string mobileNet() {
  std::string text = "func.func @main(%r0: tensor<1x2x8x8xf32>) -> tensor<1x5xf32> {\n";
  text += layer(1, /*isByChannel=*/false);
  for (int block = 0; block < 13; ++block) {
    text += layer(2 + 2 * block, /*isByChannel=*/true);
    text += layer(3 + 2 * block, /*isByChannel=*/false);
  }
  text += constant("%w", 0.3, "tensor<2x5xf32>");
  return text + R"(
    %shape = tsr.constant dense<[1, 2]> : tensor<2xi64> -> tensor<2xi64>
    %mean = tsr.global_average_pool %r27 : (tensor<1x2x8x8xf32>) -> tensor<1x2x1x1xf32>
    %flat = tsr.reshape %mean, %shape : (tensor<1x2x1x1xf32>, tensor<2xi64>) -> tensor<1x2xf32>
    %scores = tsr.matmul %flat, %w : (tensor<1x2xf32>, tensor<2x5xf32>) -> tensor<1x5xf32>
    %probabilities = tsr.softmax %scores : (tensor<1x5xf32>) -> tensor<1x5xf32>
    return %probabilities : tensor<1x5xf32>
  })";
}

}  // namespace tessera::tests
