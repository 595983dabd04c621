// Tensor data in files beside the model.
#pragma once

#include <map>
#include <string>

#include "frontends/onnx/import/read/source.h"
#include "tessera/status.h"

namespace tessera::onnx {

/// The external data files of one model, each mapped once. Only regular files inside the model's
/// folder are opened: no absolute path, no "..", no symbolic link that leads out.
class ExternalFiles {
 public:
  ExternalFiles() = default;
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  /// The whole file at `location`, a path relative to the model's folder. The reference lives as
  /// long as *this.
  Result<const SourceBytes*> open(const std::string& location);

 private:
  std::string folder_;
  std::map<std::string, SourceBytes> files_;
};

}  // namespace tessera::onnx
