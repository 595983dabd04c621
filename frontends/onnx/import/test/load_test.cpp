#include "frontends/onnx/import/read/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "frontends/onnx/import/graph/normalize.h"
#include "frontends/onnx/import/read/wire_skeleton.h"
#include "frontends/onnx/import/test/test_models.h"

namespace tessera::onnx {

static std::string loadError(const std::string& bytes) {
  Result<LoadedModel> model = loadModel(sourceFromMemory(test::bytesOf(bytes)), "");
  return model ? "" : model.error().message;
}

static std::string readError(const ModelProto& proto) {
  Result<Model> model = test::readModel(proto);
  return model ? "" : model.error().message;
}

TEST(Load, AcceptsAModel) { EXPECT_EQ(loadError(test::addRelu().SerializeAsString()), ""); }

TEST(Load, RefusesAnEmptyFile) { EXPECT_EQ(loadError(""), "the file is empty"); }

TEST(Load, RefusesAMissingFile) {
  Result<LoadedModel> model = loadModelFile("/nonexistent/model.onnx");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().file, "/nonexistent/model.onnx");
  EXPECT_EQ(model.error().message, "cannot open the file: No such file or directory");
}

TEST(Load, RefusesMoreThanTwoGibibytes) {
  // The size is checked before a byte is read.
  std::byte byte{};
  SourceBytes source{.bytes = {&byte, kMaxMessageBytes + 1}, .owner = nullptr, .file = "big.onnx"};
  Result<LoadedModel> model = loadModel(std::move(source), "");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().file, "big.onnx");
  EXPECT_NE(model.error().message.find("ends at 2 GiB - 1"), std::string::npos);
}

TEST(Load, RefusesMissingParts) {
  ModelProto model = test::addRelu();
  model.clear_ir_version();
  EXPECT_EQ(loadError(model.SerializeAsString()), "not an ONNX model: it has no IR version");
  model = test::addRelu();
  model.clear_graph();
  EXPECT_EQ(loadError(model.SerializeAsString()), "not an ONNX model: it has no graph");
  model = test::addRelu();
  model.clear_opset_import();
  EXPECT_EQ(loadError(model.SerializeAsString()), "the model imports no operator set");
}

TEST(Load, RefusesVersionsOutsideTheRange) {
  ModelProto model = test::addRelu();
  model.set_ir_version(2);
  EXPECT_EQ(loadError(model.SerializeAsString()),
            "IR version 2 is not supported, expected 3 to 12");
  model.set_ir_version(13);
  EXPECT_EQ(loadError(model.SerializeAsString()),
            "IR version 13 is not supported, expected 3 to 12");
  EXPECT_EQ(loadError(test::makeModel(6).SerializeAsString()),
            "opset version 6 is not supported, expected 7 to 23");
  EXPECT_EQ(loadError(test::makeModel(24).SerializeAsString()),
            "opset version 24 is not supported, expected 7 to 23");
  model = test::makeModel(24);
  model.mutable_opset_import(0)->set_domain("ai.onnx");
  EXPECT_EQ(loadError(model.SerializeAsString()),
            "opset version 24 is not supported, expected 7 to 23");
  model.mutable_opset_import(0)->set_domain("com.example");
  EXPECT_EQ(loadError(model.SerializeAsString()), "");
}

TEST(Load, RefusesDeepNesting) {
  ModelProto model = test::makeModel(17);
  GraphProto* graph = model.mutable_graph();
  for (int depth = 0; depth < 40; ++depth) {
    graph = &test::addGraphAttribute(test::addNode(*graph, "If", {"c"}, {"y"}), "then_branch");
  }
  EXPECT_NE(loadError(model.SerializeAsString()).find("nested deeper than 64 levels"),
            std::string::npos);
}

TEST(Load, RefusesAmplification) {
  // 8 million empty nodes: 16 MB in the file, 1.5 GB when parsed.
  std::string graph;
  for (int i = 0; i < 8'000'000; ++i) graph += std::string("\x0a\x00", 2);
  std::string bytes = "\x08\x07\x3a";
  for (size_t size = graph.size(); size > 0; size >>= 7) {
    bytes.push_back(static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80 : 0)));
  }
  EXPECT_NE(loadError(bytes + graph).find("more than 2 GiB of memory"), std::string::npos);
}

TEST(Load, TruncationAtEveryByteIsAnError) {
  const std::string bytes = test::addRelu().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(loadError(bytes.substr(0, size)), "") << size;
}

TEST(Load, RandomMutationsNeverCrash) {
  const std::string original = test::addRelu().SerializeAsString();
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = original;
    for (int flip = 0; flip < 1 + round % 4; ++flip) {
      char& byte = bytes[random() % bytes.size()];
      byte = static_cast<char>(byte ^ (1 << (random() % 8)));
    }
    Result<LoadedModel> loaded = loadModel(sourceFromMemory(test::bytesOf(bytes)), "");
    if (!loaded) continue;
    if (Result<Model> model = modelFromProto(std::move(*loaded))) {
      [[maybe_unused]] const bool isValid = normalizeModel(std::move(*model)).has_value();
    }
  }
}

TEST(Skeleton, LeavesWeightsOutAndRefersToThem) {
  ModelProto model = test::addRelu();
  test::addFloats(*model.mutable_graph(), "big", {1000}, std::vector<float>(1000, 4.0f));
  const std::string bytes = model.SerializeAsString();
  Result<std::string> skeleton = makeSkeleton(test::bytesOf(bytes), RootMessage::kModel);
  ASSERT_TRUE(skeleton);
  EXPECT_LT(skeleton->size(), bytes.size() - 3900);
  ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(*skeleton));
  const RawDataReference reference = readRawDataReference(parsed.graph().initializer(1).raw_data());
  EXPECT_EQ(reference.sizeBytes, 4000U);
  EXPECT_EQ(bytes.substr(reference.offset, 4000), model.graph().initializer(1).raw_data());
  EXPECT_EQ(parsed.graph().node(1).op_type(), "Relu");
}

// Initializers in every encoding

static Result<TensorData> readInitializer(const TensorProto& tensor) {
  ModelProto proto = test::makeModel(17);
  *proto.mutable_graph()->add_initializer() = tensor;
  TESSERA_TRY(Model model, test::readModel(proto));
  return model.graph.initializers.at(0).tensor;
}

static TensorProto tensorOf(int dataType, const std::vector<int64_t>& shape) {
  TensorProto tensor;
  tensor.set_name("t");
  tensor.set_data_type(dataType);
  for (const int64_t dim : shape) tensor.add_dims(dim);
  return tensor;
}

TEST(Tensor, ReadsTypedFields) {
  TensorProto tensor = tensorOf(TensorProto::FLOAT, {2});
  tensor.add_float_data(1.5f);
  tensor.add_float_data(-2.0f);
  Result<TensorData> data = readInitializer(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(test::floatsOf(*data), (std::vector<float>{1.5f, -2.0f}));

  tensor = tensorOf(TensorProto::INT64, {2});
  tensor.add_int64_data(-3);
  tensor.add_int64_data(int64_t{1} << 40);
  data = readInitializer(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(integerValues(*data), (std::vector<int64_t>{-3, int64_t{1} << 40}));

  tensor = tensorOf(TensorProto::INT8, {2});
  tensor.add_int32_data(-3);
  tensor.add_int32_data(127);
  data = readInitializer(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(static_cast<int8_t>(data->bytes[0]), -3);
  EXPECT_EQ(static_cast<int8_t>(data->bytes[1]), 127);

  tensor = tensorOf(TensorProto::FLOAT16, {1});
  tensor.add_int32_data(0x3c00);
  data = readInitializer(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bytes[1], std::byte{0x3c});

  tensor = tensorOf(TensorProto::UINT32, {1});
  tensor.add_uint64_data(4'000'000'000U);
  data = readInitializer(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bytes.size(), 4U);
}

TEST(Tensor, BoolsBecomeZeroOrOne) {
  TensorProto tensor = tensorOf(TensorProto::BOOL, {3});
  tensor.set_raw_data(std::string("\x00\x01\x07", 3));
  Result<TensorData> data = readInitializer(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bytes[0], std::byte{0});
  EXPECT_EQ(data->bytes[2], std::byte{1});
}

TEST(Tensor, UnalignedRawDataIsAligned) {
  for (int padding = 0; padding < 8; ++padding) {
    ModelProto proto = test::makeModel(17);
    proto.set_producer_name(std::string(static_cast<size_t>(padding), 'p'));
    test::addInts(*proto.mutable_graph(), "t", {2}, {5, 6});
    Result<Model> model = test::readModel(proto);
    ASSERT_TRUE(model);
    const TensorData& tensor = model->graph.initializers[0].tensor;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.bytes.data()) % 8, 0U);
    EXPECT_EQ(integerValues(tensor), (std::vector<int64_t>{5, 6}));
  }
}

TEST(Tensor, RefusesWrongAmounts) {
  TensorProto tensor = tensorOf(TensorProto::FLOAT, {3});
  tensor.set_raw_data("12345678");
  EXPECT_EQ(readInitializer(tensor).error().message,
            "initializer 't': the tensor holds 8 bytes, but its shape asks for 3 elements of f32");
  tensor = tensorOf(TensorProto::FLOAT, {3});
  tensor.add_float_data(1);
  EXPECT_EQ(readInitializer(tensor).error().message,
            "initializer 't': the tensor holds 1 values, but its shape asks for 3 elements of f32");
}

TEST(Tensor, RefusesWrongShapes) {
  EXPECT_EQ(readInitializer(tensorOf(TensorProto::FLOAT, {-1})).error().message,
            "initializer 't': dimension -1 is negative");
  EXPECT_EQ(readInitializer(tensorOf(TensorProto::FLOAT, {int64_t{1} << 40, int64_t{1} << 40}))
                .error()
                .message,
            "initializer 't': the shape has more than 2^48 elements");
  EXPECT_EQ(
      readInitializer(tensorOf(TensorProto::FLOAT, std::vector<int64_t>(33, 1))).error().message,
      "initializer 't': rank 33 is larger than 32");
}

TEST(Tensor, RefusesUnsupportedTypesByName) {
  EXPECT_EQ(readInitializer(tensorOf(TensorProto::FLOAT8E4M3FN, {1})).error().message,
            "initializer 't': element type FLOAT8E4M3FN is not supported");
  EXPECT_EQ(readInitializer(tensorOf(99, {1})).error().message,
            "initializer 't': element type 99 is not an ONNX element type");
  EXPECT_EQ(readInitializer(tensorOf(0, {1})).error().message,
            "initializer 't': the element type is missing");
}

TEST(Tensor, SparseInitializersBecomeDense) {
  ModelProto proto = test::makeModel(17);
  SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
  sparse.mutable_values()->set_name("s");
  test::setRaw<float>(*sparse.mutable_values(), TensorProto::FLOAT, {2}, {5, 7});
  test::setRaw<int64_t>(*sparse.mutable_indices(), TensorProto::INT64, {2}, {1, 3});
  sparse.add_dims(2);
  sparse.add_dims(2);
  Result<Model> model = test::readModel(proto);
  ASSERT_TRUE(model);
  EXPECT_EQ(test::floatsOf(model->graph.initializers.at(0).tensor),
            (std::vector<float>{0, 5, 0, 7}));
  sparse.mutable_indices()->clear_dims();
  sparse.mutable_indices()->clear_raw_data();
  test::setRaw<int64_t>(*sparse.mutable_indices(), TensorProto::INT64, {2}, {1, 4});
  EXPECT_EQ(readError(proto), "initializer 's': a sparse tensor's index is out of range");
}

// External data

class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) /
            ("onnx_external_" +
             std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "model");
    write(root_ / "secret.bin", std::string(64, 's'));
    const std::vector<float> values{1, 2, 3, 4};
    write(root_ / "model" / "weights.bin",
          std::string(reinterpret_cast<const char*>(values.data()), 16));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  Result<Model> import(const std::string& location, const std::string& offset = "",
                       const std::string& length = "") {
    ModelProto proto = test::makeModel(17);
    TensorProto& tensor = *proto.mutable_graph()->add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(TensorProto::FLOAT);
    tensor.add_dims(2);
    tensor.set_data_location(TensorProto::EXTERNAL);
    auto add = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    write(root_ / "model" / "model.onnx", proto.SerializeAsString());
    TESSERA_TRY(LoadedModel loaded, loadModelFile((root_ / "model" / "model.onnx").string()));
    return modelFromProto(std::move(loaded));
  }
  std::string error(const std::string& location, const std::string& offset = "",
                    const std::string& length = "") {
    Result<Model> model = import(location, offset, length);
    return model ? "" : model.error().message;
  }

  std::filesystem::path root_;
};

TEST_F(ExternalData, IsReadInPlace) {
  Result<Model> model = import("weights.bin", "8", "8");
  ASSERT_TRUE(model);
  EXPECT_EQ(test::floatsOf(model->graph.initializers[0].tensor), (std::vector<float>{3, 4}));
}

TEST_F(ExternalData, MayNotEscape) {
  EXPECT_EQ(error("../secret.bin"),
            "initializer 'w': external data file '../secret.bin' leads out of the model's folder");
  EXPECT_EQ(
      error("sub/../../secret.bin"),
      "initializer 'w': external data file 'sub/../../secret.bin' leads out of the model's folder");
  EXPECT_NE(error((root_ / "secret.bin").string()).find("has an absolute path"), std::string::npos);
  std::filesystem::create_symlink(root_ / "secret.bin", root_ / "model" / "link.bin");
  EXPECT_EQ(error("link.bin"),
            "initializer 'w': external data file 'link.bin' is a symbolic link that leads out of "
            "the model's folder");
  std::filesystem::create_directory_symlink(root_, root_ / "model" / "up");
  EXPECT_NE(error("up/secret.bin").find("leads out of the model's folder"), std::string::npos);
}

TEST_F(ExternalData, MustBeThere) {
  EXPECT_EQ(
      error("none.bin"),
      "initializer 'w': external data file 'none.bin' cannot be opened: No such file or directory");
  EXPECT_EQ(error(""), "initializer 'w': external data has no valid file name");
  EXPECT_NE(error("."), "");
}

TEST_F(ExternalData, MustBeLongEnough) {
  EXPECT_EQ(error("weights.bin", "12"),
            "initializer 'w': external data file 'weights.bin' has 16 bytes, but the tensor asks "
            "for 8 bytes at offset 12");
  EXPECT_EQ(error("weights.bin", "0", "4"),
            "initializer 'w': external data has 4 bytes, but the tensor's shape asks for 8");
  EXPECT_EQ(error("weights.bin", "-4"), "initializer 'w': external data has '-4' as its offset");
  EXPECT_EQ(error("weights.bin", "99999999999999999999"),
            "initializer 'w': external data has '99999999999999999999' as its offset");
}

}  // namespace tessera::onnx
