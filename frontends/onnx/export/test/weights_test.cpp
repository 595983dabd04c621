// Large constants: by reference, in the message, in a file beside it.
#include "frontends/onnx/export/weights.h"

#include <cstring>
#include <filesystem>

#include "base/content_hash.h"
#include "compiler/ir/io/constants.h"
#include "frontends/onnx/export/test/canonical_text.h"
#include "frontends/onnx/export/test/exported.h"
#include "frontends/onnx/import/import.h"

namespace tessera::onnx::test {

class Weights : public Export {
 protected:
  Weights() : values_(std::make_shared<std::vector<float>>(1000)) {
    for (size_t i = 0; i < values_->size(); ++i) (*values_)[i] = static_cast<float>(i);
    hash_ = context_.constants().add({.bytes = bytes(), .owner = values_});
    folder_ = testing::TempDir() + "tessera_export_weights";
    std::filesystem::create_directories(folder_);
  }
  ~Weights() override { std::filesystem::remove_all(folder_); }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(*values_)); }
  /// x + w + w, each w a constant of its own, and a small one.
  std::string text() const {
    const std::string constant = "tsr.constant #tsr.blob<\"" + hash_ + "\"> -> tensor<1000xf32>\n";
    const std::string add = " : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>";
    return "func.func @main(%x: tensor<1000xf32> {tessera.name = \"x\"}) -> (tensor<1000xf32> "
           "{tessera.name = \"y\"}) {\n"
           "%v = " +
           constant + "%w = " + constant +
           "%k = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>\n"
           "%a = tsr.add %x, %v" +
           add + " loc(\"first\")\n%b = tsr.add %a, %w" + add +
           " loc(\"second\")\n"
           "%c = tsr.mul %b, %k : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32> "
           "loc(\"third\")\n"
           "return %c : tensor<1000xf32>\n}";
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::shared_ptr<std::vector<float>> values_;
  std::string hash_;
  std::string folder_;
};

TEST_F(Weights, AreReferredToByContent) {
  const ExportedModel model = exported(text());
  ASSERT_EQ(error_, "");
  ASSERT_EQ(model.weights.size(), 1U);
  EXPECT_EQ(model.weights[0].hash, hash_);
  EXPECT_EQ(model.weights[0].blob.bytes.data(), bytes().data()) << "the bytes were copied";
  const GraphProto& graph = model.proto->graph();
  ASSERT_EQ(graph.initializer_size(), 3);
  for (const int i : {0, 1}) {
    EXPECT_EQ(graph.initializer(i).data_location(), TensorProto::EXTERNAL);
    EXPECT_EQ(graph.initializer(i).external_data(0).value(), hash_);
    EXPECT_EQ(graph.initializer(i).external_data(1).value(), "4000");
  }
  EXPECT_EQ(graph.initializer(2).raw_data().size(), 4U);
}

TEST_F(Weights, OutliveTheModule) {
  ExportedModel model = exported(text());
  modules_.clear();
  context_.constants().retain([](std::string_view) { return false; });
  const std::weak_ptr<std::vector<float>> watched = values_;
  values_.reset();
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(base::contentHash(model.weights[0].blob.bytes), hash_);
  model = {};
  EXPECT_TRUE(watched.expired());
}

TEST_F(Weights, AreInTheMessage) {
  const std::string message = *serializeInline(exported(text()));
  ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(message));
  for (const int i : {0, 1}) {
    const TensorProto& tensor = proto.graph().initializer(i);
    EXPECT_EQ(tensor.external_data_size(), 0);
    EXPECT_NE(tensor.data_location(), TensorProto::EXTERNAL);
    ASSERT_EQ(tensor.raw_data().size(), 4000U);
    EXPECT_EQ(std::memcmp(tensor.raw_data().data(), bytes().data(), 4000), 0);
  }
}

TEST_F(Weights, AreInAFileBesideTheModel) {
  ASSERT_TRUE(writeModelFile(exported(text()), path("m.onnx"), /*maxInlineBytes=*/3999));
  // Each content once.
  EXPECT_EQ(std::filesystem::file_size(path("m.onnx.data")), 4000U);
  EXPECT_LT(std::filesystem::file_size(path("m.onnx")), 2000U);
  const auto again = importOnnxFile(*context_.get(), path("m.onnx"));
  ASSERT_TRUE(again) << again.error().toString();
  EXPECT_EQ(canonicalText(again->get()), canonicalText(modules_.back().get()));
}

TEST_F(Weights, SmallModelsAreOneFile) {
  ASSERT_TRUE(writeModelFile(exported(text()), path("m.onnx"), /*maxInlineBytes=*/4000));
  EXPECT_FALSE(std::filesystem::exists(path("m.onnx.data")));
  EXPECT_TRUE(importOnnxFile(*context_.get(), path("m.onnx")));
}

TEST_F(Weights, MoreThanAMessageHoldsIsRefused) {
  ExportedModel model = exported(text());
  // Twice this size is over the limit; nobody reads the bytes.
  model.weights[0].blob.bytes = {bytes().data(), size_t{1} << 30};
  const Result<std::string> message = serializeInline(std::move(model));
  ASSERT_FALSE(message);
  EXPECT_NE(message.error().message.find("more than the 2 GiB of a protobuf message"),
            std::string::npos);
}

TEST_F(Weights, ErrorsNameTheFile) {
  const Status status = writeModelFile(exported(text()), path("none/m.onnx"));
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().toString().find("none/m.onnx"), std::string::npos);
}

TEST_F(Weights, LargeSplatsAreExpanded) {
  const ExportedModel model = exported(R"(
    func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %k = tsr.constant dense<3.0> : tensor<100xf32> -> tensor<100xf32>
      %y = tsr.mul %x, %k : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
      return %y : tensor<100xf32>
    })");
  ASSERT_EQ(model.weights.size(), 1U) << error_;
  EXPECT_EQ(model.weights[0].blob.bytes.size(), 400U);
  EXPECT_EQ(model.weights[0].hash, base::contentHash(model.weights[0].blob.bytes));
}

}  // namespace tessera::onnx::test
