// What is done with the weights of an exported model: put into the message, or beside the file.
#pragma once

#include <functional>
#include <string>

#include "frontends/onnx/export/export.h"

namespace tessera::onnx {

class TensorProto;

/// Calls `visit` for each tensor of the model: initialisers and attributes, those of subgraphs
/// included, in order.
void forEachTensor(ModelProto& model, const std::function<void(TensorProto&)>& visit);

/// The model as one message that needs nothing else. Copies the weights. Errors: it would be larger
/// than the 2 GiB that a protobuf message may have.
Result<std::string> serializeInline(ExportedModel model);

/// Models with more bytes of weights than this get a file beside them.
constexpr uint64_t kMaxInlineBytes = uint64_t{256} << 20;

/// Writes the model; with more than `maxInlineBytes` of weights these go to `path`.data, 64-byte
/// aligned, each content once, without a copy in memory. Each file appears complete or not at all,
/// the model's last. Errors name the file.
Status writeModelFile(ExportedModel model, const std::string& path,
                      uint64_t maxInlineBytes = kMaxInlineBytes);

}  // namespace tessera::onnx
