// Tensors for a model's inputs, from files, folders and generators.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands.h"

namespace tessera::cli {

/// One tensor for each port, in the ports' order. Sources, first match: `--input name=...`,
/// `--data` folder. With `fillMissing` inputs that are named nowhere are random. Errors: kUsage
/// when an input has no source or the flags name an unknown input; kInvalidInput from files.
Result<std::vector<HostTensor>> gatherInputs(const std::vector<PortInfo>& ports,
                                             const InputOptions& options, bool fillMissing);

/// The tensors input_<i>.pb (or `stem`_<i><suffix>.pb) of a folder, by i from 0 on; none when there
/// is no first.
Result<std::vector<HostTensor>> readNumbered(const std::string& folder, const std::string& stem,
                                             const std::string& suffix);

/// Uniform in [-1, 1) for floats; 0 or 1 for integers and bool. Open dimensions become 1.
/// Deterministic in `seed`.
Result<HostTensor> randomTensor(const PortInfo& port, uint64_t seed);

}  // namespace tessera::cli
