// What artifact and runtime add to one matched operator: a convolution with bias and activation
// through them, against the primitives that its region consists of, called directly.
//   bench_onednn [--benchmark_filter=...]
#include <omp.h>

#include <memory>

#include "bench/in_turn.h"
#include "bench/run_checked.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

/// A square convolution that keeps the image's size.
struct Conv {
  int64_t in = 0, out = 0, size = 0, kernel = 1, groups = 1;
  memory::dims x() const { return {1, in, size, size}; }
  memory::dims y() const { return {1, out, size, size}; }
  memory::dims weights() const { return {out, in / groups, kernel, kernel}; }
};

std::string typeOf(const memory::dims& dims) {
  std::string text = "tensor<";
  for (const int64_t size : dims) text += std::to_string(size) + "x";
  return text + "f32>";
}

std::string constantOf(const std::string& name, const memory::dims& dims, float value) {
  return name + " = tsr.constant dense<" + std::to_string(value) + "> : " + typeOf(dims) + " -> " +
         typeOf(dims) + "\n";
}

constexpr float kWeight = 0.03125F, kBias = -0.5F;

std::string moduleOf(const Conv& conv) {
  const std::string y = typeOf(conv.y()), pad = std::to_string(conv.kernel / 2);
  return "module attributes {tessera.phase = \"import\"} {\nfunc.func @main(%x: " +
         typeOf(conv.x()) + " {tessera.name = \"x\"}) -> (" + y + " {tessera.name = \"y\"}) {\n" +
         constantOf("%w", conv.weights(), kWeight) + constantOf("%b", {conv.out}, kBias) +
         "%c = tsr.conv %x, %w, %b {group = " + std::to_string(conv.groups) +
         " : i64, pads = array<i64: " + pad + ", " + pad + ", " + pad + ", " + pad + ">} : (" +
         typeOf(conv.x()) + ", " + typeOf(conv.weights()) + ", " + typeOf({conv.out}) + ") -> " +
         y + "\n%y = tsr.relu %c : (" + y + ") -> " + y + "\nreturn %y : " + y + "\n}\n}\n";
}

/// The image to channels-last, the convolution, and back.
class Direct {
 public:
  Direct(const Conv& conv, Floats& input)
      : plainX_({conv.x(), memory::data_type::f32, Tag::nchw}, engine_, input.data()),
        plainY_({conv.y(), memory::data_type::f32, Tag::nchw}, engine_) {
    dnnl::post_ops relu;
    relu.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(relu);
    memory::dims weights = conv.weights();
    const bool isGrouped = conv.groups > 1;
    if (isGrouped) {
      weights[0] /= conv.groups;
      weights.insert(weights.begin(), conv.groups);
    }
    const auto pad = conv.kernel / 2;
    const auto desc = [](const memory::dims& dims, Tag tag) {
      return memory::desc(dims, memory::data_type::f32, tag);
    };
    const dnnl::convolution_forward::primitive_desc description(
        engine_, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        desc(conv.x(), Tag::nhwc), desc(weights, Tag::any), desc({conv.out}, Tag::x),
        desc(conv.y(), Tag::nhwc), {1, 1}, {0, 0}, {pad, pad}, {pad, pad}, attributes);
    conv_ = dnnl::convolution_forward(description);
    x_ = memory(description.src_desc(), engine_);
    y_ = memory(description.dst_desc(), engine_);
    memory plainWeights(desc(weights, isGrouped ? Tag::goihw : Tag::oihw), engine_),
        packed(description.weights_desc(), engine_), bias(desc({conv.out}, Tag::x), engine_);
    fill(plainWeights, kWeight);
    fill(bias, kBias);
    dnnl::reorder(plainWeights, packed).execute(stream_, plainWeights, packed);
    arguments_ = {
        {DNNL_ARG_SRC, x_}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, y_}};
    before_ = dnnl::reorder(plainX_, x_);
    behind_ = dnnl::reorder(y_, plainY_);
    stream_.wait();
  }
  void run() {
    before_.execute(stream_, plainX_, x_);
    conv_.execute(stream_, arguments_);
    behind_.execute(stream_, y_, plainY_);
    stream_.wait();
  }
  const float* output() const { return static_cast<const float*>(plainY_.get_data_handle()); }

 private:
  static void fill(const memory& memory, float value) {
    std::fill_n(static_cast<float*>(memory.get_data_handle()),
                memory.get_desc().get_size() / sizeof(float), value);
  }
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  memory plainX_, plainY_, x_, y_;
  dnnl::convolution_forward conv_;
  dnnl::reorder before_, behind_;
  std::unordered_map<int, memory> arguments_;
};

void runConv(benchmark::State& state, const Conv& conv, int threads) {
  omp_set_num_threads(threads);  // oneDNN bakes the number in when a primitive is made.
  Floats input = randomFloats(static_cast<size_t>(conv.in * conv.size * conv.size), /*seed=*/1);
  CompiledModule ours(moduleOf(conv), "onednn", threads, input);
  Direct direct(conv, input);
  ours.run();
  direct.run();
  if (!areClose(direct.output(), ours.output(),
                static_cast<size_t>(conv.out * conv.size * conv.size))) {
    skipWrong(state);
    return;
  }
  runInTurn(state, [&] { ours.run(); }, [&] { direct.run(); });
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  const auto add = [](const char* name, const Conv& conv) {
    addForThreads(name,
                  [conv](benchmark::State& state, int threads) { runConv(state, conv, threads); });
  };
  add("conv3x3_16_16_8", {.in = 16, .out = 16, .size = 8, .kernel = 3});
  add("conv3x3_64_64_56", {.in = 64, .out = 64, .size = 56, .kernel = 3});
  add("conv1x1_256_64_56", {.in = 256, .out = 64, .size = 56});
  add("conv3x3_512_512_7", {.in = 512, .out = 512, .size = 7, .kernel = 3});
  add("depthwise3x3_144_56", {.in = 144, .out = 144, .size = 56, .kernel = 3, .groups = 144});
  return runChecked(argc, argv);
}
