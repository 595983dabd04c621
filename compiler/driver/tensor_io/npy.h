// NumPy's .npy format, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <span>
#include <string>

#include "tessera/tensor_io.h"

namespace tessera::tensor_io {

/// Decodes a whole .npy file. Fortran order is turned to row-major. Errors: no .npy file,
/// big-endian or unknown element type, data and shape disagree.
Result<HostTensor> decodeNpy(std::span<const std::byte> file, const std::string& name);

/// The bytes in front of the data in a .npy file, version 1, padded to a multiple of 64.
std::string npyHeader(const HostTensor& tensor);

}  // namespace tessera::tensor_io
