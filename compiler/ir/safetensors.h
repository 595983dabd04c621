// Constants of saved modules: a safetensors file whose tensors are named by content hash.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/constant_store.h"
#include "tessera/status.h"

namespace tessera::ir {

/// Writes the blobs of `hashes` as U8 tensors, one behind the other as the format demands. Streams; equal input gives equal bytes.
/// Format: 8-byte little-endian header size, JSON header padded with spaces, data
/// (https://github.com/huggingface/safetensors, version 0.4).
Status writeSafetensors(const std::string& path, const ConstantStore& store, const std::set<std::string>& hashes);

/// Maps the file and adds its tensors to the store without reading their bytes. Errors (kInvalidInput): not a safetensors
/// file, or one whose header does not fit its size.
Status readSafetensors(const std::string& path, ConstantStore& store);

}  // namespace tessera::ir
