// Element types of OpenVINO and of the border.
#pragma once

#include <optional>

#include "openvino/core/type/element_type.hpp"
#include "tessera/dltensor.h"

namespace tessera_openvino {

/// Nothing for types that no border of a region has.
std::optional<tessera_dtype> dtypeOf(const ov::element::Type& type);

/// ov::element::dynamic for types that no border of a region has.
ov::element::Type elementOf(tessera_dtype dtype);

}  // namespace tessera_openvino
