// What the writer makes the reader gives back; what no writer makes it refuses.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "region_graph/graph.h"
#include "region_graph/placement.h"
#include "region_graph/test/sample_programs.h"

namespace tessera::region_graph {
namespace {

/// Bytes at an address that readProgram accepts.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::vector<std::byte>& bytes)
      : memory_(new(std::align_val_t{64}) std::byte[bytes.size() + 1]), size_(bytes.size()) {
    std::memcpy(memory_, bytes.data(), size_);
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes() { ::operator delete[](memory_, std::align_val_t{64}); }
  std::span<std::byte> span() { return {memory_, size_}; }

 private:
  std::byte* memory_;
  size_t size_;
};

std::string whyRefused(const std::vector<std::byte>& bytes) {
  AlignedBytes aligned(bytes);
  const auto read = readProgram(aligned.span());
  return read ? "" : read.error().message;
}

std::string whyRefused(const std::function<void(GraphT&)>& damage) {
  ProgramT program = test::sampleProgram();
  damage(*program.graphs.front());
  return whyRefused(writeProgram(program));
}

TEST(RegionGraphTest, WhatIsWrittenIsRead) {
  const std::vector<std::byte> bytes = writeProgram(test::sampleProgram());
  AlignedBytes aligned(bytes);
  const auto read = readProgram(aligned.span());
  ASSERT_TRUE(read) << read.error().message;
  const GraphT& graph = *(*read)->graphs.at(0);
  EXPECT_EQ(graph.name, "sample");
  ASSERT_EQ(graph.operators.size(), 6U);
  EXPECT_EQ(graph.operators[0]->attributes.AsWindow()->pads_begin, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(graph.operators[4]->attributes.AsSlice()->steps, (std::vector<int64_t>{1, -1, 1, 1}));
  EXPECT_EQ(graph.operators[2]->group, 0U);
  EXPECT_EQ(sizeBytes(*graph.tensors[5]), 16 * 16 * 4);
  EXPECT_EQ(writeProgram(**read), bytes);
}

TEST(RegionGraphTest, TheTableIsSorted) {
  EXPECT_NE(operatorInfo("conv"), nullptr);
  EXPECT_NE(operatorInfo("abs"), nullptr);
  EXPECT_NE(operatorInfo("unsqueeze"), nullptr);
  EXPECT_EQ(operatorInfo("nothing"), nullptr);
}

TEST(RegionGraphTest, DamagedGraphsAreRefusedWithTheReason) {
  const std::string prefix = "region graph 'sample': ";
  const auto expect = [&](const char* why, const std::function<void(GraphT&)>& damage) {
    EXPECT_EQ(whyRefused(damage), prefix + why);
  };
  expect("tensor 0 has no element type", [](GraphT& g) { g.tensors[0]->element_type = 8; });
  expect("tensor 1 has sizes that cannot be",
         [](GraphT& g) { g.tensors[1]->dims = {1LL << 40, 1LL << 40}; });
  expect("tensor 5 has blocks that cannot be", [](GraphT& g) { g.tensors[5]->block_dims = {4}; });
  expect("tensor 0 has an order that is none",
         [](GraphT& g) { g.tensors[0]->order = {0, 1, 1, 2}; });
  expect("tensor 2 is a constant of another size",
         [](GraphT& g) { g.tensors[2]->data.pop_back(); });
  expect("an argument is no tensor of its own", [](GraphT& g) { g.arguments[1] = g.arguments[0]; });
  expect("an argument is no tensor of its own", [](GraphT& g) { g.arguments[1] = 99; });
  expect("a result is not computed", [](GraphT& g) { g.results[0] = -1; });
  expect("there is no operator 'swish'", [](GraphT& g) { g.operators[2]->name = "swish"; });
  expect("conv has other operands or attributes than it must",
         [](GraphT& g) { g.operators[0]->attributes.Reset(); });
  expect("conv has other operands or attributes than it must",
         [](GraphT& g) { g.operators[0]->inputs.resize(1); });
  expect("max_pool reads what is not computed", [](GraphT& g) { g.operators[3]->inputs[0] = 8; });
  expect("add reads what is not computed", [](GraphT& g) { g.operators[1]->inputs[1] = -2; });
  expect("softmax computes what there is already",
         [](GraphT& g) { g.operators[5]->outputs[0] = 3; });
  expect("softmax has no result", [](GraphT& g) { g.operators[5]->outputs[0] = kAbsent; });
  expect("attributes of conv do not fit its operands",
         [](GraphT& g) { g.operators[0]->attributes.AsWindow()->strides = {1}; });
  expect("attributes of conv do not fit its operands",
         [](GraphT& g) { g.operators[0]->attributes.AsWindow()->strides = {1, 0}; });
  expect("attributes of slice do not fit its operands",
         [](GraphT& g) { g.operators[4]->attributes.AsSlice()->starts = {0, 3, 0, 1}; });
  expect("attributes of slice do not fit its operands",
         [](GraphT& g) { g.operators[4]->attributes.AsSlice()->steps = {1, -9, 1, 1}; });
  expect("attributes of softmax do not fit its operands",
         [](GraphT& g) { g.operators[5]->attributes.AsAxes()->axes = {4}; });
  expect("its groups are not in order", [](GraphT& g) { g.operators[5]->group = 9; });
  expect("max_pool does not continue its group", [](GraphT& g) {
    g.operators[3]->group = 0;
    for (size_t i = 4; i < 6; ++i) --g.operators[i]->group;
    g.results.push_back(g.operators[2]->outputs[0]);
  });
}

TEST(RegionGraphTest, TwoGraphsOfOneNameAreRefused) {
  ProgramT program = test::sampleProgram();
  program.graphs.push_back(std::make_unique<GraphT>());
  program.graphs.back()->name = "sample";
  EXPECT_EQ(whyRefused(writeProgram(program)), "region graph names 'sample' twice or not at all");
}

/// A small blob in which many operators are one table with a long list.
TEST(RegionGraphTest, SharedTablesDoNotAddUp) {
  flatbuffers::FlatBufferBuilder builder;
  const auto inputs = builder.CreateVector(std::vector<int32_t>(10000, 0));
  const auto name = builder.CreateString("concat");
  const auto op = CreateOperator(builder, name, inputs, inputs);
  const auto operators = builder.CreateVector(std::vector(10000, op));
  const auto graph = CreateGraph(builder, name, 0, 0, 0, operators);
  FinishProgramBuffer(builder, CreateProgram(builder, builder.CreateVector(&graph, 1)));
  const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  EXPECT_EQ(whyRefused(std::vector(bytes.begin(), bytes.end())),
            "region graph refers to the same data many times");
}

TEST(RegionGraphTest, BytesThatAreNoneAreRefused) {
  std::vector<std::byte> bytes = writeProgram(test::sampleProgram());
  EXPECT_EQ(whyRefused(std::vector<std::byte>()), "region graph is damaged");
  for (size_t size = 0; size + 8 < bytes.size(); size += 7)
    EXPECT_NE(whyRefused(std::vector(bytes.begin(), bytes.begin() + static_cast<long>(size))), "");
  AlignedBytes aligned(bytes);
  EXPECT_FALSE(readProgram(aligned.span().subspan(4)));
}

TEST(RegionGraphTest, DamagedBytesAreReadOrRefused) {
  const std::vector<std::byte> bytes = writeProgram(test::sampleProgram());
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int k = 0; k < 3; ++k)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    (void)whyRefused(damaged);
  }
}

TEST(RegionGraphTest, ScratchOfDifferentTimesSharesMemory) {
  std::vector<Scratch> scratch = {{.sizeBytes = 100, .first = 0, .last = 1},
                                  {.sizeBytes = 60, .first = 1, .last = 2},
                                  {.sizeBytes = 100, .first = 2, .last = 3}};
  EXPECT_EQ(placeScratch(scratch), 192U);
  EXPECT_EQ(scratch[0].offset, scratch[2].offset);
  EXPECT_EQ(scratch[1].offset % 64, 0U);
}

}  // namespace
}  // namespace tessera::region_graph
