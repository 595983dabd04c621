// NaN and infinities, where OpenVINO's kernels compute others than IEEE 754 and ONNX say.
#pragma once

#include "openvino/core/model.hpp"

namespace tessera_openvino {

/// Rewrites f32 operators of the model that lose NaN (Clamp, Maximum, Minimum), turn infinity into
/// the greatest number (Clamp without a bound) or take square roots for powers of one half. What
/// follows a convolution or product, which OpenVINO computes together with it, stays as it is.
void keepSpecialValues(ov::Model& model);

}  // namespace tessera_openvino
