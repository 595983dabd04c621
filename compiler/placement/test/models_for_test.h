// Models that several tests place.
#pragma once

namespace tessera::placement {

/// Two operators that are one composite, and one behind it.
inline constexpr const char* kComposite = R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tsr.composite "pair"(%x) {} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %2 = tsr.relu %a : (tensor<4xf32>) -> tensor<4xf32>
      %3 = tsr.exp %2 : (tensor<4xf32>) -> tensor<4xf32>
      tsr.yield %3 : tensor<4xf32>
    }
    %1 = tsr.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  })";

}  // namespace tessera::placement
