// Bytes to parsed protobuf messages, with every guard against broken and hostile files.
#pragma once

#include <memory>
#include <string>

#include "frontends/onnx/import/read/external_data.h"
#include "frontends/onnx/import/read/source.h"
#include "tessera/status.h"

namespace tessera::onnx {

class ModelProto;
class SparseTensorProto;
class TensorProto;

/// A parsed model. Every `raw_data` in `proto` is a RawDataReference into `source.bytes`;
/// decodeTensor resolves it.
struct LoadedModel {
  std::unique_ptr<ModelProto> proto;
  SourceBytes source;
  ExternalFiles externalFiles;

  LoadedModel();
  LoadedModel(LoadedModel&&) noexcept;
  LoadedModel& operator=(LoadedModel&&) noexcept;
  ~LoadedModel();
};

/// Parses a ModelProto. `folder` is where external data files may lie; empty: external data is
/// refused. Errors name the file: empty, larger than 2 GiB - 1, truncated or malformed, nested too
/// deeply, a structure too large for memory, no graph, no IR version, IR version outside 3 to 12,
/// default-domain opset outside 7 to 23. Copies no tensor bytes.
Result<LoadedModel> loadModel(SourceBytes source, std::string folder);

/// Maps and parses the file; external data is looked for in its folder.
Result<LoadedModel> loadModelFile(const std::string& path);

/// Parses a file that holds one TensorProto, as in ONNX test_data_set folders.
Result<std::unique_ptr<TensorProto>> parseTensorMessage(const SourceBytes& source);

}  // namespace tessera::onnx
