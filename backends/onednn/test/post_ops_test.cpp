// Everything that the pattern table lets follow a head, behind every form of every head: one
// primitive that is not the library's reference, and right. A name that joins the table is run
// here without a change, or fails for want of a form.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "backends/onednn/compiler/patterns.h"
#include "backends/onednn/compiler/register.h"
#include "compiler/transforms/forms.h"
#include "tessera/compile.h"
#include "tessera/runtime.hpp"
#include "tessera/tensor_compare.h"

namespace tessera::backend_onednn {
namespace {

using Dims = std::vector<int64_t>;

/// An operator that begins a group, on inputs of these sizes.
struct Form {
  std::string op;
  std::vector<Dims> inputs;
  Dims result;
  std::string attributes;
  bool isConstantB = false;  ///< Input 1 is a constant.
};

/// What is done to %h: the last line defines %y. `%o` is an operand of the sizes `other`.
struct Follower {
  std::string name;
  std::string text;
  Dims other;
};

std::string typeOf(const Dims& dims) {
  std::string text = "tensor<";
  for (const int64_t size : dims) text += std::to_string(size) + "x";
  return text + "f32>";
}

const std::vector<Form>& forms() {
  static const Dims image = {2, 16, 6, 6};
  static const std::vector<Form> all = {
      {"tsr.conv", {{2, 8, 9}, {16, 8, 3}, {16}}, {2, 16, 9}, "pads = array<i64: 1, 1>"},
      {"tsr.conv", {{2, 8, 6, 6}, {16, 8, 3, 3}, {16}}, image, "pads = array<i64: 1, 1, 1, 1>"},
      {"tsr.conv", {{2, 8, 6, 6}, {16, 8, 1, 1}}, image, ""},
      {"tsr.conv", {{1, 8, 4, 5, 6}, {16, 8, 2, 2, 2}, {16}}, {1, 16, 3, 4, 5}, ""},
      {"tsr.conv", {{2, 32, 6, 6}, {16, 16, 3, 3}, {16}}, {2, 16, 4, 4}, "group = 2 : i64"},
      {"tsr.conv", {{2, 16, 8, 8}, {16, 1, 3, 3}, {16}}, image, "group = 16 : i64"},
      {"tsr.conv_transpose", {{2, 8, 9}, {8, 16, 3}, {16}}, {2, 16, 11}, ""},
      {"tsr.conv_transpose",
       {{2, 8, 3, 3}, {8, 16, 2, 2}, {16}},
       image,
       "strides = array<i64: 2, 2>"},
      {"tsr.conv_transpose", {{1, 8, 3, 4, 5}, {8, 16, 2, 2, 2}}, {1, 16, 4, 5, 6}, ""},
      {"tsr.conv_transpose", {{2, 32, 4, 4}, {32, 8, 3, 3}, {16}}, image, "group = 2 : i64"},
      {"tsr.gemm", {{5, 24}, {24, 48}, {48}}, {5, 48}, "", /*isConstantB=*/true},
      {"tsr.matmul", {{2, 5, 24}, {24, 48}}, {2, 5, 48}, "", /*isConstantB=*/true},
      {"tsr.matmul", {{3, 5, 24}, {3, 24, 48}}, {3, 5, 48}, ""},
      {"tsr.add", {image, image}, image, ""},
      {"tsr.mul", {image, {16, 1, 1}}, image, ""},
      {"tsr.sub", {image, image}, image, ""},
      {"tsr.div", {{5, 48}, {5, 48}}, {5, 48}, ""}};
  return all;
}

std::string constantLine(const std::string& name, const std::string& value) {
  return "%" + name + " = tsr.constant dense<" + value + "> : tensor<f32> -> tensor<f32>\n";
}

/// An operator on %h and perhaps scalars; !t is the type of both.
std::string unary(const std::string& op, const std::string& scalars = "",
                  const std::string& attributes = "", const std::string& result = "y") {
  std::string types = "!t", names = "%h";
  for (size_t at = 0; at < scalars.size(); at += 2) {
    names += std::string(", %") + scalars[at];
    types += ", tensor<f32>";
  }
  return "%" + result + " = " + op + " " + names + " {" + attributes + "} : (" + types +
         ") -> !t\n";
}

/// `type` is that of %o, which may come first, or of the second operand.
std::string binary(const std::string& op, const std::string& a, const std::string& b,
                   const std::string& type = "!t", const std::string& result = "y") {
  const std::string types = a == "%o" ? type + ", !t" : "!t, " + type;
  return "%" + result + " = " + op + " " + a + ", " + b + " : (" + types + ") -> !t\n";
}

/// Activations that are more than an operator on one operand without attributes.
std::string activation(const std::string& name) {
  if (name == "tsr.clip")
    return constantLine("a", "-0.3") + constantLine("b", "0.7") +
           unary(name, "a b", "operandSegmentSizes = array<i32: 1, 1, 1>");
  if (name == "tsr.pow") return constantLine("a", "1.5") + unary(name, "a");
  return unary(name);
}

/// Operators that simplify recognises as the composite.
std::string parts(const std::string& composite) {
  if (composite == "silu") return unary("tsr.sigmoid", "", "", "g") + binary("tsr.mul", "%h", "%g");
  if (composite == "hard_swish")
    return unary("tsr.hard_sigmoid", "", "alpha = 0.166666667 : f32, beta = 0.5 : f32", "g") +
           binary("tsr.mul", "%h", "%g");
  if (composite == "gelu")
    return constantLine("a", "1.41421356") + constantLine("b", "1.0") + constantLine("c", "0.5") +
           binary("tsr.div", "%h", "%a", "tensor<f32>", "g") + "%i = tsr.erf %g : (!t) -> !t\n" +
           binary("tsr.add", "%i", "%b", "tensor<f32>", "j") +
           binary("tsr.mul", "%h", "%j", "!t", "k") + binary("tsr.mul", "%k", "%c", "tensor<f32>");
  return "composite without a form: " + composite;
}

/// The entry of the table that the operator begins.
const TableParts::Entry* entryOf(const std::string& op) {
  const auto& entries = tableParts().entries;
  const auto found = llvm::find_if(
      entries, [&](const auto& entry) { return llvm::is_contained(entry.heads, op); });
  return found == entries.end() ? nullptr : &*found;
}

std::vector<Follower> allFollowers(const Dims& result) {
  const TableParts& table = tableParts();
  std::vector<Follower> all;
  for (const llvm::StringRef name : table.composites)
    all.push_back({.name = name.str() + ", parts", .text = parts(name.str()), .other = {}});
  for (const llvm::StringRef name : table.activations)
    all.push_back({.name = name.str(), .text = activation(name.str()), .other = {}});
  all.push_back({.name = "tsr.gelu, tanh",
                 .text = unary("tsr.gelu", "", "approximate = \"tanh\""),
                 .other = {}});
  Dims channel(result.size(), 1);
  const size_t channels = result.size() > 3 || result[1] == 16 ? 1 : result.size() - 1;
  channel[channels] = result[channels];
  for (const Dims& other : {result, channel, Dims{1}}) {
    for (const auto* names : {&table.commutative, &table.ordered}) {
      for (const llvm::StringRef name : *names) {
        all.push_back({.name = name.str() + " " + typeOf(other),
                       .text = binary(name.str(), "%h", "%o", typeOf(other)),
                       .other = other});
        if (names == &table.commutative)
          all.push_back({.name = name.str() + " " + typeOf(other) + ", second",
                         .text = binary(name.str(), "%o", "%h", typeOf(other)),
                         .other = other});
      }
    }
  }
  return all;
}

std::vector<Follower> followers(const Form& form) {
  std::vector<Follower> all = allFollowers(form.result);
  if (!entryOf(form.op)->mayLoseNan)
    llvm::erase_if(all, [](const Follower& follower) {
      return llvm::is_contained(tableParts().losesNan,
                                llvm::StringRef(follower.name).split(' ').first);
    });
  return all;
}

std::string moduleOf(const Form& form, const Follower& follower) {
  std::ostringstream text;
  text << "!t = " << typeOf(form.result)
       << "\nmodule attributes {tessera.phase = \"import\"} {\nfunc.func @main(";
  std::string names, types;
  for (size_t i = 0; i < form.inputs.size(); ++i) {
    const std::string type = typeOf(form.inputs[i]);
    names += (i > 0 ? ", %x" : "%x") + std::to_string(i);
    types += (i > 0 ? ", " : "") + type;
    if (i != 1 || !form.isConstantB)
      text << (i > 0 ? ", " : "") << "%x" << i << ": " << type << " {tessera.name = \"x" << i
           << "\"}";
  }
  if (!follower.other.empty())
    text << ", %o: " << typeOf(follower.other) << " {tessera.name = \"o\"}";
  text << ") -> (!t {tessera.name = \"y\"}) {\n";
  if (form.isConstantB)
    text << "%x1 = tsr.constant dense<0.125> : " << typeOf(form.inputs[1]) << " -> "
         << typeOf(form.inputs[1]) << "\n";
  text << "%h = " << form.op << " " << names << " {" << form.attributes << "} : (" << types
       << ") -> !t\n"
       << follower.text << "return %y : !t\n}\n}\n";
  return text.str();
}

class PostOpsTest : public ::testing::TestWithParam<size_t> {
 protected:
  static void SetUpTestSuite() { setenv("ONEDNN_VERBOSE", "1", 1); }

  Result<Module> load(const std::string& text) {
    const std::string path =
        ::testing::TempDir() + "onednn_post_ops_" + std::to_string(GetParam()) + ".mlir";
    std::ofstream(path) << text;
    CompileOptions options;
    options.session = session_;
    options.targets = "onednn";
    options.isStrict = true;
    return Module::load(path, options);
  }

  /// Small numbers; far above 0 where roots, powers and quotients need it.
  static std::vector<HostTensor> inputsOf(const Module& module, bool isPositive) {
    std::vector<HostTensor> inputs;
    std::mt19937 random(7);
    for (const PortInfo& port : module.inputs()) {
      auto made = allocateTensor(port.name, port.type, port.shape);
      const float least = !isPositive ? -1.0F : port.name == "x0" ? 1.0F : 0.1F;
      std::uniform_real_distribution<float> values(least, least + (isPositive ? 0.8F : 2.0F));
      auto* data = reinterpret_cast<float*>(made->data);
      for (size_t i = 0; i < made->tensor.bytes.size() / sizeof(float); ++i)
        data[i] = values(random);
      inputs.push_back(made->tensor);
    }
    return inputs;
  }

  /// Runs it; what oneDNN executed but reorders goes to `primitives`.
  Result<HostTensor> run(const std::vector<std::byte>& artifact,
                         const std::vector<HostTensor>& inputs,
                         std::vector<std::string>& primitives) {
    TESSERA_TRY(const Executable executable,
                Executable::loadMemory(artifact, {.copyMemory = true}));
    TESSERA_TRY(Context context, Context::create(executable));
    for (const HostTensor& input : inputs)
      TESSERA_TRY_VOID(context.setInput(input.name, input.type, input.shape, input.bytes.data()));
    testing::internal::CaptureStdout();
    const Status status = context.run();
    std::istringstream lines(testing::internal::GetCapturedStdout());
    TESSERA_TRY_VOID(status);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(",exec,") != std::string::npos && line.find(",reorder,") == std::string::npos)
        primitives.push_back(line);
    }
    TESSERA_TRY(const tessera_dltensor output, context.output(0));
    TESSERA_TRY(WritableTensor copy,
                allocateTensor("y", ElementType::kF32, {output.shape, output.shape + output.ndim}));
    std::memcpy(copy.data, output.data, copy.tensor.bytes.size());
    return copy.tensor;
  }

  void check(const Form& form, const Follower& follower) {
    const std::string text = moduleOf(form, follower);
    auto module = load(text);
    ASSERT_TRUE(module) << module.error().message << "\n" << text;
    const bool isPositive =
        llvm::any_of(std::array{"sqrt", "pow", "div", "reciprocal"}, [&](const char* name) {
          return (form.op + follower.name).find(name) != std::string::npos;
        });
    const std::vector<HostTensor> inputs = inputsOf(*module, isPositive);
    const auto expected = module->interpret(inputs);
    ASSERT_TRUE(expected) << expected.error().message << "\n" << text;
    const auto artifact = module->compileToMemory();
    ASSERT_TRUE(artifact) << artifact.error().message << "\n" << text;
    std::vector<std::string> primitives;
    const auto actual = run(*artifact, inputs, primitives);
    ASSERT_TRUE(actual) << actual.error().message;
    const TensorDifference difference =
        compareTensors(*actual, expected->front(), {.relative = 1e-4, .absolute = 1e-5});
    EXPECT_TRUE(difference.isWithin) << difference.mismatch << difference.firstValues;
    ASSERT_EQ(primitives.size(), 1U) << ::testing::PrintToString(primitives);
    EXPECT_NE(primitives[0].find("attr-post-ops:"), std::string::npos) << primitives[0];
    EXPECT_EQ(primitives[0].find(",ref"), std::string::npos) << primitives[0];
  }

  std::shared_ptr<Session> session_ = std::make_shared<Session>();
};

TEST_P(PostOpsTest, IsPartOfThePrimitive) {
  const Form& form = forms()[GetParam()];
  for (const Follower& follower : followers(form)) {
    SCOPED_TRACE(form.op + " " + typeOf(form.inputs[0]) + ", then " + follower.name);
    check(form, follower);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, PostOpsTest, ::testing::Range(size_t{0}, forms().size()));

TEST(PostOpsTable, EveryHeadHasAForm) {
  for (const TableParts::Entry& entry : tableParts().entries) {
    for (const llvm::StringRef head : entry.heads)
      EXPECT_TRUE(llvm::any_of(forms(), [&](const Form& form) { return head == form.op; }))
          << entry.name << ": " << head.str();
  }
  EXPECT_EQ(patternTable().size(), tableParts().entries.size());
}

// What the table expects is said, so that whoever changes the common passes hears of it.
TEST(PostOpsTable, NeedsAreFormsThatThereAre) {
  const auto needs = createBackend()->needs({.kind = "onednn"});
  EXPECT_TRUE(llvm::is_contained(needs, "folded_batch_norm"));
  for (const std::string& name : needs) EXPECT_NE(transforms::findForm(name), nullptr) << name;
}

}  // namespace
}  // namespace tessera::backend_onednn
