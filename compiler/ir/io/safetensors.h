// Constants of saved modules: a safetensors file whose tensors are named by content hash.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/io/constant_store.h"
#include "tessera/status.h"

namespace tessera::ir {

/// Writes the blobs of `hashes` as U8 tensors, each at a multiple of 64 bytes of the file; tensors
/// named "padding.*" fill the holes between them, which the format forbids. Streams; equal input
/// gives equal bytes. Format: 8-byte little-endian header size, JSON header padded with spaces,
/// data (https://github.com/huggingface/safetensors, version 0.4). Errors: a hash that the store
/// does not know, the file cannot be written.
Status writeSafetensors(const std::string& path, const ConstantStore& store,
                        const std::set<std::string>& hashes);

/// Whether writeSafetensors() wrote the file: its metadata say so.
bool isOurSafetensors(const std::string& path);

struct SafetensorsOptions {
  /// Compares each tensor's bytes with its name: reads the whole file.
  bool verifyHashes = false;
};

/// Maps the file and adds its tensors to the store without reading their bytes (unless they are not
/// aligned to 64 bytes: then they are copied). Errors (kInvalidInput): not a safetensors file; a
/// tensor outside the data, overlapping another one or not named by a content hash. After an error
/// the store is as before.
Status readSafetensors(const std::string& path, ConstantStore& store,
                       SafetensorsOptions options = {});

}  // namespace tessera::ir
