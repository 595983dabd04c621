// One wrong bundle per rule of validate(), with the message it must give.
#include "artifact/validate.h"

#include <gtest/gtest.h>

#include <functional>

#include "artifact/test/test_bundles.h"

namespace tessera::artifact {
namespace {

struct WrongBundle {
  const char* name;
  std::function<void(Bundle&)> damage;
  const char* message;
};

std::ostream& operator<<(std::ostream& stream, const WrongBundle& wrong) {
  return stream << wrong.name;
}

class StaticValidateTest : public ::testing::TestWithParam<WrongBundle> {};
class DynamicValidateTest : public ::testing::TestWithParam<WrongBundle> {};

const std::vector<std::byte> kCode(8);

void expectMessage(Bundle bundle, const WrongBundle& wrong) {
  ASSERT_TRUE(validate(bundle));
  wrong.damage(bundle);
  const Status status = validate(bundle);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, wrong.message);
}

TEST_P(StaticValidateTest, GivesItsMessage) {
  expectMessage(test::staticBundle(kCode), GetParam());
}
TEST_P(DynamicValidateTest, GivesItsMessage) {
  expectMessage(test::dynamicBundle(kCode), GetParam());
}

CallInstruction& callOf(Bundle& bundle, size_t index) {
  return std::get<CallInstruction>(bundle.program[index]);
}

// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.
const WrongBundle kStatic[] = {
    {"elementType", [](Bundle& b) { b.buffers[0].elementType = ElementType::kString; },
     "buffer 0 of the artifact has unsupported element type 8"},
    {"rank", [](Bundle& b) { b.buffers[0].dims.resize(33, 1); },
     "buffer 0 of the artifact has rank 33"},
    {"negativeDim", [](Bundle& b) { b.buffers[0].dims[0] = -2; },
     "buffer 0 of the artifact has dimension -2"},
    {"hugeDims", [](Bundle& b) { b.buffers[0].dims = {INT64_MAX, INT64_MAX}; },
     "buffer 0 of the artifact is too large"},
    {"hugeDimsBesideZero", [](Bundle& b) { b.buffers[0].dims = {0, INT64_MAX, INT64_MAX}; },
     "buffer 0 of the artifact is too large"},
    {"noSize", [](Bundle& b) { b.buffers[0].sizeBytes = kDynamic; },
     "buffer 0 of the artifact has size -1"},
    {"smallSize", [](Bundle& b) { b.buffers[0].sizeBytes = 63; },
     "buffer 0 of the artifact has size 63, its shape needs 64 bytes"},
    {"constantIndex", [](Bundle& b) { b.buffers[1].index = 1; },
     "buffer 1 of the artifact refers to constant 1 of 1"},
    {"constantSize", [](Bundle& b) { b.buffers[1].sizeBytes = 65; },
     "buffer 1 of the artifact is larger than its constant"},
    {"arenaEnd", [](Bundle& b) { b.buffers[2].offset = 64; },
     "buffer 2 of the artifact lies outside the arena or unaligned: offset 64, size 64, arena 64"},
    {"arenaAlignment",
     [](Bundle& b) {
       b.buffers[2].offset = 32;
       b.memorySpaces[0].arenaBytes = 128;
     },
     "buffer 2 of the artifact lies outside the arena or unaligned: offset 32, size 64, arena 128"},
    {"viewIndex",
     [](Bundle& b) {
       b.buffers[2] = test::plainBuffer({2, 8}, Storage::kView), b.buffers[2].index = 4;
     },
     "buffer 2 of the artifact views buffer 4 of 4"},
    {"viewEnd", [](Bundle& b) { b.buffers[2] = test::plainBuffer({2, 9}, Storage::kView); },
     "buffer 2 of the artifact reaches past the end of the buffer it views"},
    {"viewAlignment",
     [](Bundle& b) {
       b.buffers[2] = test::plainBuffer({8}, Storage::kView);
       b.buffers[2].offset = 2;
     },
     "buffer 2 of the artifact views at unaligned offset 2"},
    {"viewCycle",
     [](Bundle& b) {
       b.buffers[2] = test::plainBuffer({2, 8}, Storage::kView);
       b.buffers[2].index = 3;
       b.buffers[3] = test::plainBuffer({2, 8}, Storage::kView);
       b.buffers[3].index = 2;
     },
     "buffer 2 of the artifact views itself"},
    {"viewSpace",
     [](Bundle& b) {
       b.memorySpaces.push_back({.name = "moon"});
       b.buffers[2] = test::plainBuffer({2, 8}, Storage::kView);
       b.buffers[2].memorySpace = 1;
     },
     "buffer 2 of the artifact views a buffer of another memory space"},
    {"portBuffer", [](Bundle& b) { b.inputs[0].buffer = 7; }, "'x' refers to buffer 7 of 4"},
    {"portName", [](Bundle& b) { b.inputs[0].name = ""; },
     "an input or output of the artifact has no name"},
    {"portTwice",
     [](Bundle& b) {
       b.inputs.push_back(b.inputs[0]);
       b.inputs[1].name = "x2";
     },
     "input 'x2' has no input buffer of its own"},
    {"portNameTwice", [](Bundle& b) { b.outputs.push_back(b.outputs[0]); },
     "two inputs or outputs are named 'y'"},
    {"portDimNames", [](Bundle& b) { b.outputs[0].dimNames = {"n"}; },
     "'y' has 1 dimension names for rank 2"},
    {"inputWithoutPort", [](Bundle& b) { b.buffers[2].storage = Storage::kInput; },
     "buffer 2 of the artifact belongs to no input"},
    {"noImplementation", [](Bundle& b) { b.regions[0].implementations.clear(); },
     "region 'add16' has no implementation"},
    {"noSymbol", [](Bundle& b) { b.regions[0].implementations[0].symbol = ""; },
     "an implementation of region 'add16' has no symbol"},
    {"targetName", [](Bundle& b) { b.regions[0].implementations[0].target = "../native:0"; },
     "an implementation of region 'add16' is for target '../native:0', expected kind[:device] "
     "[-name=value]..."},
    {"targetDevice", [](Bundle& b) { b.regions[0].implementations[0].target = "native:one"; },
     "an implementation of region 'add16' is for target 'native:one', expected kind[:device] "
     "[-name=value]..."},
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what it tests.
    {"storage", [](Bundle& b) { b.buffers[2].storage = static_cast<Storage>(9); },
     "buffer 2 of the artifact has unknown storage kind"},
    {"codeBlob", [](Bundle& b) { b.regions[0].implementations[0].codeBlob = 1; },
     "region 'add16' refers to code blob 1 of 1"},
    {"workspace", [](Bundle& b) { b.regions[0].implementations[0].workspaceBytes = UINT64_MAX; },
     "region 'add16' wants a workspace of 18446744073709551615 bytes"},
    {"guard",
     [](Bundle& b) {
       b.regions[0].implementations[0].dimGuards = {
           {.input = 0, .dim = 2, .minimum = 0, .maximum = 1}};
     },
     "instruction 0 of the artifact has a guard on dimension 2 of input 0, which does not exist"},
    {"workspacePlace", [](Bundle& b) { callOf(b, 0).workspace = 0; },
     "instruction 0 of the artifact has its workspace in buffer 0, which is not in the host's "
     "arena"},
    {"workspaceShared", [](Bundle& b) { callOf(b, 0).workspace = 2; },
     "instruction 0 of the artifact has its workspace in the memory of buffer 2, which it reads or "
     "writes"},
    {"region", [](Bundle& b) { callOf(b, 0).region = 2; },
     "instruction 0 of the artifact calls region 2 of 2"},
    {"operand", [](Bundle& b) { callOf(b, 0).inputs[1] = 4; },
     "instruction 0 of the artifact refers to buffer 4 of 4"},
    {"writesInput", [](Bundle& b) { callOf(b, 0).outputs[0] = 0; },
     "instruction 0 of the artifact writes buffer 0, an input or constant"},
    {"writesConstant", [](Bundle& b) { callOf(b, 0).outputs[0] = 1; },
     "instruction 0 of the artifact writes buffer 1, an input or constant"},
    {"copyEnd",
     [](Bundle& b) {
       b.program[1] =
           CopyInstruction{.source = 2, .destination = 3, .sourceOffset = 4, .sizeBytes = 64};
     },
     "instruction 1 of the artifact copies past the end of a buffer"},
    {"copyOffset",
     [](Bundle& b) {
       b.program[1] = CopyInstruction{.source = 2, .destination = 3, .sourceOffset = UINT64_MAX};
     },
     "instruction 1 of the artifact copies from past the end of its source"},
    {"copySize",
     [](Bundle& b) {
       b.program[1] = CopyInstruction{.source = 2, .destination = 3, .sizeBytes = -2};
     },
     "instruction 1 of the artifact copies -2 bytes"},
    {"viewOfNoView", [](Bundle& b) { b.program[1] = ViewInstruction{.view = 2}; },
     "instruction 1 of the artifact shapes a buffer that is no view"},
    {"space", [](Bundle& b) { b.buffers[2].memorySpace = 1; },
     "buffer 2 of the artifact lives in memory space 1 of 1"},
    {"spaceName", [](Bundle& b) { b.memorySpaces.push_back({.name = "host"}); },
     "a memory space of the artifact has no name, or that of another: 'host'"},
    {"spaceTarget",
     [](Bundle& b) { b.memorySpaces.push_back({.name = "moon", .targets = {"native", "moon:x"}}); },
     "memory space 'moon' of the artifact names target 'moon:x', expected kind[:device] "
     "[-name=value]..."},
    {"noHost", [](Bundle& b) { b.memorySpaces[0].name = "moon"; },
     "the first memory space of the artifact is not 'host'"},
    {"backend", [](Bundle& b) { b.backends = {{.kind = "native:1"}}; },
     "the artifact names backend 'native:1', which is no target kind or named before"},
    {"externalConstant",
     [](Bundle& b) { b.constants[0] = {.contentHash = "", .data = Blob::external(64)}; },
     "constant 0 of the artifact is too large, or external without a hash"},
    {"inPlaceWithFallback",
     [](Bundle& b) {
       b.regions[1].implementations.push_back(b.regions[1].implementations[0]);
       b.buffers.push_back(b.buffers[2]);
       callOf(b, 1).outputs = {4};
     },
     "instruction 1 of the artifact overwrites its operand, buffer 2, in a region with several "
     "implementations"},
    {"waitsForNothing",
     [](Bundle& b) {
       b.numEvents = 1;
       callOf(b, 0).waits = {0};
     },
     "instruction 0 of the artifact waits for event 0, which nothing signals before"},
    {"signalsTwice",
     [](Bundle& b) {
       b.numEvents = 1;
       callOf(b, 0).signal = callOf(b, 1).signal = 0;
       callOf(b, 1).waits = {0};
     },
     "instruction 1 of the artifact signals event 0, which does not exist or is signalled before"},
    {"readsWithoutWaiting",
     [](Bundle& b) {
       b.numEvents = 1;
       callOf(b, 0).signal = 0;
     },
     "instruction 1 of the artifact touches memory of instruction 0 without waiting for its event "
     "0"},
    {"overwritesWithoutWaiting",
     [](Bundle& b) {
       b.numEvents = 2;
       callOf(b, 0).signal = 0;
       callOf(b, 1).waits = {0};
       callOf(b, 1).signal = 1;
       // Another buffer in the memory that instruction 1 reads.
       b.buffers.push_back(b.buffers[2]);
       b.program.emplace_back(CopyInstruction{.source = 0, .destination = 4, .waits = {0}});
     },
     "instruction 2 of the artifact touches memory of instruction 1 without waiting for its event "
     "1"},
    {"events", [](Bundle& b) { b.numEvents = 5000; },
     "the artifact has 5000 events, at most 4096 are supported"},
    {"arenaSize", [](Bundle& b) { b.memorySpaces[0].arenaBytes = UINT64_MAX; },
     "the artifact wants an arena that is too large"},
};

const WrongBundle kDynamicCases[] = {
    {"size", [](Bundle& b) { b.buffers[1].sizeBytes = 12; },
     "buffer 1 of the artifact has a dynamic dimension but a static size"},
    {"arena", [](Bundle& b) { b.buffers[1].storage = Storage::kArena; },
     "buffer 1 of the artifact has a run-time size but lies in the arena"},
    {"readEarly", [](Bundle& b) { std::swap(b.program[0], b.program[1]); },
     "instruction 0 of the artifact reads buffer 1 before it has a value"},
    {"noProducer", [](Bundle& b) { b.program.clear(); }, "output 'y' has no producer"},
    {"callIntoView", [](Bundle& b) { callOf(b, 0).outputs[0] = 2; },
     "instruction 0 of the artifact writes buffer 2, a view with a run-time size"},
    {"inPlace",
     [](Bundle& b) {
       b.program.emplace_back(CallInstruction{.region = 0, .inputs = {1}, .outputs = {1}});
     },
     "instruction 2 of the artifact reads and writes the memory of buffer 1, whose size is known "
     "at run time"},
    {"inPlaceThroughView",
     [](Bundle& b) {
       b.program.emplace_back(CallInstruction{.region = 0, .inputs = {2}, .outputs = {1}});
     },
     "instruction 2 of the artifact reads and writes the memory of buffer 1, whose size is known "
     "at run time"},
    {"viewRank", [](Bundle& b) { std::get<ViewInstruction>(b.program[1]).dims = {1, 2}; },
     "instruction 1 of the artifact gives 2 dimensions to a view of rank 1"},
    {"viewDim", [](Bundle& b) { std::get<ViewInstruction>(b.program[1]).dims = {viewDimOf(2)}; },
     "instruction 1 of the artifact takes a dimension from buffer 1 that it does not have"},
    {"viewDimOverflow",
     [](Bundle& b) { std::get<ViewInstruction>(b.program[1]).dims = {INT64_MIN}; },
     "instruction 1 of the artifact takes a dimension from buffer 1 that it does not have"},
    {"viewOpenTwice",
     [](Bundle& b) {
       b.buffers[2].dims = {kDynamic, kDynamic};
       std::get<ViewInstruction>(b.program[1]).dims = {kDynamic, kDynamic};
     },
     "instruction 1 of the artifact leaves more than one dimension of a view open"},
    {"viewShape", [](Bundle& b) { std::get<ViewInstruction>(b.program[1]).shapeBuffer = 0; },
     "instruction 1 of the artifact takes its shape from buffer 0, which is no list of 1 i64"},
    {"signalsAtRunTimeSize",
     [](Bundle& b) {
       b.numEvents = 1;
       callOf(b, 0).signal = 0;
     },
     "instruction 0 of the artifact signals an event but touches buffer 0, whose size is known at "
     "run time"},
    {"copyPart",
     [](Bundle& b) {
       b.buffers.push_back(test::plainBuffer({kDynamic, 3}, Storage::kDynamic));
       b.program.emplace_back(CopyInstruction{.source = 1, .destination = 3, .sizeBytes = 4});
     },
     "instruction 2 of the artifact must copy a whole tensor of equal type and rank into buffer 3"},
};
// NOLINTEND(modernize-use-designated-initializers)

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Rules, StaticValidateTest, ::testing::ValuesIn(kStatic), kNameOf);
INSTANTIATE_TEST_SUITE_P(Rules, DynamicValidateTest, ::testing::ValuesIn(kDynamicCases), kNameOf);

/// Waiting for a later event is waiting for what came before it, too.
TEST(ValidateEvents, OrderGoesThroughOtherInstructions) {
  Bundle bundle = test::staticBundle(kCode);
  bundle.numEvents = 2;
  callOf(bundle, 0).signal = 0;
  callOf(bundle, 1).waits = {0};
  callOf(bundle, 1).signal = 1;
  bundle.buffers.push_back(bundle.buffers[2]);
  bundle.program.emplace_back(CopyInstruction{.source = 0, .destination = 4, .waits = {1}});
  const Status status = validate(bundle);
  EXPECT_TRUE(status) << status.error().message;
}

TEST(RootOf, FollowsViewsOfViews) {
  Bundle bundle = test::staticBundle(kCode);
  bundle.buffers.push_back(test::plainBuffer({8}, Storage::kView));
  bundle.buffers[4].index = 2;
  bundle.buffers[4].offset = 32;
  bundle.buffers.push_back(test::plainBuffer({2}, Storage::kView));
  bundle.buffers[5].index = 4;
  bundle.buffers[5].offset = 24;
  ASSERT_TRUE(validate(bundle));
  EXPECT_EQ(rootOf(bundle, 5).buffer, 2u);
  EXPECT_EQ(rootOf(bundle, 5).offset, 56u);
}

}  // namespace
}  // namespace tessera::artifact
