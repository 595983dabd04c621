// Operators that are one pass over memory, by `native`, beside a copy of as many bytes on as many
// threads: at sizes of a second-level cache, of a last level, and of memory. Counters: GB/s of
// both, and ours / copy, which is above 1 where the copy is slower. Families in blocks have their
// channels in blocks of a vector, as convolutions read and write them.
//   bench_passes [--benchmark_filter=softmax]
#include <cstring>
#include <map>
#include <optional>

#include "bench/in_turn.h"
#include "tessera/runtime.h"

namespace tessera::bench {
namespace {

using Shape = std::vector<int64_t>;

int64_t elementsOf(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  return elements;
}

enum class Layout : uint8_t { kPlain, kBlocks };

/// Channels in a block: the lanes of the CPU that `native` compiles for.
const char* lanes() { return __builtin_cpu_supports("avx512f") != 0 ? "16" : "8"; }

std::string typeOf(const Shape& shape, const char* element = "f32",
                   Layout layout = Layout::kPlain) {
  std::string text = "tensor<";
  for (const int64_t size : shape) text += std::to_string(size) + "x";
  text += element;
  if (layout == Layout::kBlocks)
    text += std::string(", #tsr.layout<blockDims = [1], blockSizes = [") + lanes() + "]>";
  return text + ">";
}

/// The body of a module from %x to %y.
class Body {
 public:
  explicit Body(Shape input, Layout layout = Layout::kPlain)
      : input_(std::move(input)), result_(input_), inputLayout_(layout), layout_(layout) {}

  Body& constant(const std::string& name, const Shape& shape, const std::string& value,
                 Layout layout = Layout::kPlain) {
    const std::string plain = typeOf(shape), type = typeOf(shape, "f32", layout);
    const bool isPlain = layout == Layout::kPlain;
    text_ += name + (isPlain ? "" : "p") + " = tsr.constant dense<" + value + "> : " + plain +
             " -> " + plain + "\n";
    if (!isPlain)
      text_ += name + " = tsr.relayout " + name + "p : (" + plain + ") -> " + type + "\n";
    types_[name] = type;
    return *this;
  }
  Body& axes(const std::string& name, const std::string& values, int64_t count) {
    const std::string type = typeOf({count}, "i64");
    text_ += name + " = tsr.constant dense<" + values + "> : " + type + " -> " + type + "\n";
    types_[name] = type;
    return *this;
  }
  /// The last value in another layout.
  Body& relayout(Layout layout) {
    const std::string value = last_, type = resultType();
    layout_ = layout;
    return append("relayout", value, "", type);
  }
  /// An operator of the last value and constants, or %x again.
  Body& op(const std::string& name, const std::vector<std::string>& constants = {},
           const std::string& attributes = "", std::optional<Shape> result = std::nullopt) {
    std::string operands = last_, types = resultType();
    for (const std::string& constant : constants) {
      operands += ", " + constant;
      types += ", " + (constant == "%x" ? inputType() : types_.at(constant));
    }
    if (result) result_ = *result;
    return append(name, operands, attributes, types);
  }
  std::string module() const {
    return "module attributes {tessera.phase = \"import\"} {\nfunc.func @main(%x: " + inputType() +
           " {tessera.name = \"x\"}) -> (" + resultType() + " {tessera.name = \"y\"}) {\n" + text_ +
           "return " + last_ + " : " + resultType() + "\n}\n}\n";
  }
  int64_t inputElements() const { return elementsOf(input_); }
  /// Read and written.
  int64_t bytes() const { return 4 * (elementsOf(input_) + elementsOf(result_)); }

 private:
  std::string inputType() const { return typeOf(input_, "f32", inputLayout_); }
  std::string resultType() const { return typeOf(result_, "f32", layout_); }
  Body& append(const std::string& name, const std::string& operands, const std::string& attributes,
               const std::string& types) {
    last_ = "%v" + std::to_string(++count_);
    text_ += last_ + " = tsr." + name + " " + operands + " " + attributes + " : (" + types +
             ") -> " + resultType() + "\n";
    return *this;
  }

  Shape input_, result_;
  Layout inputLayout_, layout_;
  std::string text_, last_ = "%x";
  std::map<std::string, std::string> types_;
  int count_ = 0;
};

/// Each thread copies a part.
struct Copy {
  Floats from, to;
  int threads;

  Copy(int64_t bytes, int numThreads)
      : from(static_cast<size_t>(bytes / 8), 1.0F), to(from.size()), threads(numThreads) {}
  void run() {
    constexpr size_t kPart = 4096;  // Elements.
    tessera_parallel_for(
        static_cast<int64_t>((from.size() + kPart - 1) / kPart), threads,
        [](void* self, int64_t begin, int64_t end) {
          auto& copy = *static_cast<Copy*>(self);
          const size_t first = static_cast<size_t>(begin) * kPart;
          const size_t last = std::min(static_cast<size_t>(end) * kPart, copy.from.size());
          std::memcpy(copy.to.data() + first, copy.from.data() + first,
                      (last - first) * sizeof(float));
        },
        this);
  }
};

void runBody(benchmark::State& state, const Body& body, int threads) {
  const Floats input = randomFloats(static_cast<size_t>(body.inputElements()), 1);
  CompiledModule ours(body.module(), "native", threads, input);
  Copy copy(body.bytes(), threads);
  runInTurn(state, [&] { ours.run(); }, [&] { copy.run(); });
  const double microseconds = state.counters["ours_us"], copied = state.counters["direct_us"],
               spread = state.counters["spread"];
  state.counters.clear();
  state.counters["spread"] = spread;
  state.counters["GB/s"] = static_cast<double>(body.bytes()) * 1e-3 / microseconds;
  state.counters["copy_GB/s"] = static_cast<double>(body.bytes()) * 1e-3 / copied;
  state.counters["ratio"] = copied / microseconds;
}

using Family = std::pair<std::string, std::function<Body(int64_t channels, int64_t size)>>;

constexpr auto kMaxPool =
    "{kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}";
constexpr auto kAveragePool = "{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}";

/// What reads or writes channels in blocks.
std::vector<Family> familiesInBlocks() {
  const auto blocks = [](int64_t c, int64_t s) { return Body({1, c, s, s}, Layout::kBlocks); };
  return {
      {"to_blocks",
       [](int64_t c, int64_t s) { return Body({1, c, s, s}).relayout(Layout::kBlocks); }},
      {"from_blocks", [=](int64_t c, int64_t s) { return blocks(c, s).relayout(Layout::kPlain); }},
      {"from_blocks_7_8",
       [=](int64_t c, int64_t s) { return blocks(c, s / 8 * 7).relayout(Layout::kPlain); }},
      {"rows_from_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s)
             .relayout(Layout::kPlain)
             .op("transpose", {}, "{perm = array<i64: 0, 2, 3, 1>}", Shape{1, s, s, c});
       }},
      {"blocks_from_rows",
       [=](int64_t c, int64_t s) {
         return Body({1, s, s, c})
             .op("transpose", {}, "{perm = array<i64: 0, 3, 1, 2>}", Shape{1, c, s, s})
             .relayout(Layout::kBlocks);
       }},
      {"gates_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s).constant("%a", {1, c, 1, 1}, "0.5", Layout::kBlocks).op("mul", {"%a"});
       }},
      {"batch_norm_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s)
             .constant("%a", {c}, "0.5")
             .constant("%b", {c}, "0.25")
             .op("batch_norm", {"%a", "%b", "%b", "%a"});
       }},
      {"instance_norm_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s)
             .constant("%a", {c}, "0.5")
             .constant("%b", {c}, "0.25")
             .op("instance_norm", {"%a", "%b"});
       }},
      {"mean_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s)
             .axes("%axes", "[2, 3]", 2)
             .op("reduce_mean", {"%axes"}, "", Shape{1, c, 1, 1});
       }},
      {"max_pool_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s).op("max_pool", {}, kMaxPool, Shape{1, c, s / 2, s / 2});
       }},
      {"max_pool_3_1_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s).op("max_pool", {},
                                "{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}");
       }},
      {"average_pool_in_blocks",
       [=](int64_t c, int64_t s) { return blocks(c, s).op("average_pool", {}, kAveragePool); }},
      {"concat_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s).op("concat", {"%x"}, "{axis = 1 : i64}", Shape{1, 2 * c, s, s});
       }},
      {"pad_in_blocks",
       [=](int64_t c, int64_t s) {
         return blocks(c, s)
             .axes("%p", "[0, 0, 1, 1, 0, 0, 1, 1]", 8)
             .op("pad", {"%p"}, "{operandSegmentSizes = array<i32: 1, 1, 0, 0>}",
                 Shape{1, c, s + 2, s + 2});
       }},
  };
}

std::vector<Family> families() {
  const auto image = [](int64_t c, int64_t s) { return Body({1, c, s, s}); };
  const auto rows = [](int64_t c, int64_t s) { return Body({c * s * s / 768, 768}); };
  const auto affine = [](Body body, const Shape& shape) {
    return body.constant("%a", shape, "0.5").constant("%b", shape, "0.25");
  };
  const auto doubled = [=](int64_t c, int64_t s, const std::string& how) {
    const std::string size = std::to_string(2 * s);
    return image(c, s)
        .axes("%s", "[1, " + std::to_string(c) + ", " + size + ", " + size + "]", 4)
        .op("resize", {"%s"}, "{" + how + ", operandSegmentSizes = array<i32: 1, 0, 0, 1>}",
            Shape{1, c, 2 * s, 2 * s});
  };
  const auto channelsLast = [=](int64_t c, int64_t s) {
    return image(c, s).op("transpose", {}, "{perm = array<i64: 0, 2, 3, 1>}", Shape{1, s, s, c});
  };
  return {
      {"scale_add_relu",
       [=](int64_t c, int64_t s) {
         return affine(image(c, s), {c, 1, 1}).op("mul", {"%a"}).op("add", {"%b"}).op("relu");
       }},
      {"batch_norm",
       [=](int64_t c, int64_t s) {
         return affine(image(c, s), {c}).op("batch_norm", {"%a", "%b", "%b", "%a"});
       }},
      {"gelu", [=](int64_t c, int64_t s) { return image(c, s).op("gelu"); }},
      {"sigmoid", [=](int64_t c, int64_t s) { return image(c, s).op("sigmoid"); }},
      {"softmax",
       [=](int64_t c, int64_t s) { return rows(c, s).op("softmax", {}, "{axis = 1 : i64}"); }},
      {"layer_norm",
       [=](int64_t c, int64_t s) {
         return affine(rows(c, s), {768})
             .op("layer_norm", {"%a", "%b"}, "{resultSegmentSizes = array<i32: 1, 0, 0>}");
       }},
      {"rms_norm",
       [=](int64_t c, int64_t s) { return affine(rows(c, s), {768}).op("rms_norm", {"%a"}); }},
      {"instance_norm",
       [=](int64_t c, int64_t s) {
         return affine(image(c, s), {c}).op("instance_norm", {"%a", "%b"});
       }},
      {"lrn", [=](int64_t c, int64_t s) { return image(c, s).op("lrn", {}, "{size = 5 : i64}"); }},
      {"mean_of_image",
       [=](int64_t c, int64_t s) {
         return image(c, s)
             .axes("%axes", "[2, 3]", 2)
             .op("reduce_mean", {"%axes"}, "", Shape{1, c, 1, 1});
       }},
      {"sum_of_channels",
       [=](int64_t c, int64_t s) {
         return image(c, s)
             .axes("%axes", "[1]", 1)
             .op("reduce_sum", {"%axes"}, "", Shape{1, 1, s, s});
       }},
      {"channels_last", [=](int64_t c, int64_t s) { return channelsLast(c, s); }},
      // The same where planes are no multiples of 4 KB (28, 56 and 168 squared): what lies as far
      // apart shares few lines of a cache.
      {"channels_last_7_8", [=](int64_t c, int64_t s) { return channelsLast(c, s / 8 * 7); }},
      {"heads",
       [=](int64_t c, int64_t s) {
         return Body({c * s * s / 768, 12, 64})
             .op("transpose", {}, "{perm = array<i64: 1, 0, 2>}", Shape{12, c * s * s / 768, 64});
       }},
      {"max_pool_3_2",
       [=](int64_t c, int64_t s) {
         return image(c, s).op("max_pool", {}, kMaxPool, Shape{1, c, s / 2, s / 2});
       }},
      {"average_pool_3_1",
       [=](int64_t c, int64_t s) { return image(c, s).op("average_pool", {}, kAveragePool); }},
      {"columns_and_rows",
       [=](int64_t c, int64_t s) {
         return rows(c, s)
             .constant("%a", {c * s * s / 768, 1}, "0.5")
             .constant("%b", {768}, "0.25")
             .op("mul", {"%a"})
             .op("add", {"%b"})
             .op("relu");
       }},
      {"pad",
       [=](int64_t c, int64_t s) {
         return image(c, s)
             .axes("%p", "[0, 0, 1, 1, 0, 0, 1, 1]", 8)
             .op("pad", {"%p"}, "{operandSegmentSizes = array<i32: 1, 1, 0, 0>}",
                 Shape{1, c, s + 2, s + 2});
       }},
      {"concat_columns",
       [=](int64_t c, int64_t s) {
         return image(c, s).op("concat", {"%x"}, "{axis = 3 : i64}", Shape{1, c, s, 2 * s});
       }},
      {"slice_columns",
       [=](int64_t c, int64_t s) {
         return image(c, s)
             .axes("%from", "[3]", 1)
             .axes("%to", "[" + std::to_string(s - 5) + "]", 1)
             .op("slice", {"%from", "%to", "%from"},
                 "{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}", Shape{1, c, s, s - 8});
       }},
      {"gather_rows",
       [=](int64_t c, int64_t s) {
         const int64_t count = c * s * s / 768;
         std::string indices = "[";
         for (int64_t i = 0; i < count; ++i)
           indices += (i == 0 ? "" : ", ") + std::to_string(i * 7 % count);
         return rows(c, s).axes("%i", indices + "]", count).op("gather", {"%i"});
       }},
      {"resize_nearest",
       [=](int64_t c, int64_t s) {
         return doubled(c, s,
                        "mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
                        "nearest_mode = \"floor\"");
       }},
      {"resize_linear",
       [=](int64_t c, int64_t s) {
         return doubled(c, s, "mode = \"linear\", coordinate_transformation_mode = \"half_pixel\"");
       }},
  };
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  struct Size {
    const char* name;
    int64_t channels, size;
  };
  std::vector<Family> all = families();
  std::ranges::move(familiesInBlocks(), std::back_inserter(all));
  for (const auto& [family, make] : all) {
    for (const auto& [level, channels, size] :
         {Size{"L2", 48, 32}, Size{"LLC", 192, 64}, Size{"memory", 384, 192}}) {
      const Body body = make(channels, size);
      addForThreads(family + "/" + level, [body](benchmark::State& state, int threads) {
        runBody(state, body, threads);
      });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
