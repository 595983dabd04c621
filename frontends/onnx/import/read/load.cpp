#include "frontends/onnx/import/read/load.h"

#include <google/protobuf/io/coded_stream.h>

#include <filesystem>

#include "frontends/onnx/import/read/wire_skeleton.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx {

constexpr int64_t kMinIrVersion = 3;
constexpr int64_t kMaxIrVersion = 12;
constexpr int64_t kMinOpset = 7;
constexpr int64_t kMaxOpset = 23;
// A nested subgraph takes three levels.
constexpr int kRecursionLimit = 64;

LoadedModel::LoadedModel() = default;
LoadedModel::LoadedModel(LoadedModel&&) noexcept = default;
LoadedModel& LoadedModel::operator=(LoadedModel&&) noexcept = default;
LoadedModel::~LoadedModel() = default;

static Status parseMessage(const SourceBytes& source, RootMessage root,
                           google::protobuf::MessageLite& message) {
  if (source.bytes.empty()) return invalidInput("the file is empty");
  if (source.bytes.size() > kMaxMessageBytes) {
    return invalidInput("the file has " + std::to_string(source.bytes.size()) +
                        " bytes, but an ONNX file ends at 2 GiB - 1; larger models keep their "
                        "weights in external data");
  }
  TESSERA_TRY(const std::string skeleton, makeSkeleton(source.bytes, root));
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(skeleton.data()),
                                                static_cast<int>(skeleton.size()));
  stream.SetRecursionLimit(kRecursionLimit);
  stream.SetTotalBytesLimit(static_cast<int>(skeleton.size()));
  if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return invalidInput(
        "truncated or not an ONNX file: a message is malformed or nested deeper than " +
        std::to_string(kRecursionLimit) + " levels");
  }
  return {};
}

static Status checkOpset(const OperatorSetIdProto& opset) {
  if (!opset.domain().empty() && opset.domain() != "ai.onnx") return {};
  if (opset.version() >= kMinOpset && opset.version() <= kMaxOpset) return {};
  return invalidInput("opset version " + std::to_string(opset.version()) +
                      " is not supported, expected " + std::to_string(kMinOpset) + " to " +
                      std::to_string(kMaxOpset));
}

static Status checkHeader(const ModelProto& model) {
  if (!model.has_ir_version()) return invalidInput("not an ONNX model: it has no IR version");
  if (model.ir_version() < kMinIrVersion || model.ir_version() > kMaxIrVersion) {
    return invalidInput("IR version " + std::to_string(model.ir_version()) +
                        " is not supported, expected " + std::to_string(kMinIrVersion) + " to " +
                        std::to_string(kMaxIrVersion));
  }
  if (!model.has_graph()) return invalidInput("not an ONNX model: it has no graph");
  if (model.opset_import_size() == 0) return invalidInput("the model imports no operator set");
  for (const OperatorSetIdProto& opset : model.opset_import()) TESSERA_TRY_VOID(checkOpset(opset));
  for (const FunctionProto& function : model.functions()) {
    for (const OperatorSetIdProto& opset : function.opset_import()) {
      if (Status status = checkOpset(opset); !status) {
        Error error = std::move(status).error();
        error.message = "function '" + function.name() + "': " + error.message;
        return error;
      }
    }
  }
  return {};
}

static Error withFile(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return error;
}

Result<LoadedModel> loadModel(SourceBytes source, std::string folder) {
  LoadedModel model;
  model.proto = std::make_unique<ModelProto>();
  if (Status status = parseMessage(source, RootMessage::kModel, *model.proto); !status) {
    return withFile(std::move(status).error(), source.file);
  }
  if (Status status = checkHeader(*model.proto); !status)
    return withFile(std::move(status).error(), source.file);
  model.source = std::move(source);
  model.externalFiles = ExternalFiles(std::move(folder));
  return model;
}

Result<LoadedModel> loadModelFile(const std::string& path) {
  TESSERA_TRY(SourceBytes source, mapFile(path));
  std::string folder = std::filesystem::path(path).parent_path().string();
  return loadModel(std::move(source), folder.empty() ? "." : std::move(folder));
}

Result<std::unique_ptr<TensorProto>> parseTensorMessage(const SourceBytes& source) {
  auto tensor = std::make_unique<TensorProto>();
  if (Status status = parseMessage(source, RootMessage::kTensor, *tensor); !status) {
    return withFile(std::move(status).error(), source.file);
  }
  return tensor;
}

}  // namespace tessera::onnx
