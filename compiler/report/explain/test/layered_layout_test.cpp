#include "compiler/report/explain/layered_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace tessera::report {
namespace {

using Reads = std::vector<std::vector<size_t>>;

TEST(LayeredLayout, AChainIsAColumn) {
  const Layout layout = layOut({{}, {0}, {1}});
  EXPECT_EQ(layout.nodes[0].x, layout.nodes[2].x);
  EXPECT_LT(layout.nodes[0].y, layout.nodes[1].y);
  EXPECT_LT(layout.nodes[1].y, layout.nodes[2].y);
}

TEST(LayeredLayout, AnEdgeOverOtherNodesPassesBesideThem) {
  const Layout layout = layOut({{}, {0}, {1}, {0, 2}});
  const std::vector<Point>& longEdge = layout.edges[3][0];
  ASSERT_EQ(longEdge.size(), 4U);
  for (size_t layer : {1, 2})
    EXPECT_GT(std::abs(longEdge[layer].x - layout.nodes[layer].x), LayoutOptions().nodeWidth / 2);
}

TEST(LayeredLayout, WhatReadsNothingStandsAboveItsReader) {
  const Layout layout = layOut({{}, {0}, {1}, {}, {2, 3}});
  EXPECT_EQ(layout.nodes[3].y, layout.nodes[2].y);
}

TEST(LayeredLayout, NothingOverlapsInRandomGraphs) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Reads reads(60);
    for (size_t node = 1; node < reads.size(); ++node) {
      for (size_t i = random() % 3; i > 0; --i) {
        const size_t from = node - 1 - random() % std::min<size_t>(node, 12);
        if (std::ranges::find(reads[node], from) == reads[node].end()) reads[node].push_back(from);
      }
    }
    const Layout layout = layOut(reads);
    const LayoutOptions options;
    for (size_t a = 0; a < reads.size(); ++a) {
      EXPECT_GE(layout.nodes[a].x, options.nodeWidth / 2);
      EXPECT_LE(layout.nodes[a].x, layout.width - options.nodeWidth / 2);
      for (size_t b = 0; b < a; ++b) {
        const bool isSameLayer = layout.nodes[a].y == layout.nodes[b].y;
        EXPECT_TRUE(!isSameLayer ||
                    std::abs(layout.nodes[a].x - layout.nodes[b].x) > options.nodeWidth)
            << "seed " << seed << ": " << a << " over " << b;
      }
    }
  }
}

TEST(LayeredLayout, FiveHundredNodesWithEdgesAllOverTakeNoTime) {
  Reads reads(500);
  for (size_t node = 1; node < reads.size(); ++node) {
    reads[node].push_back(node - 1);
    if (node % 10 == 0) reads[node].push_back(0);
  }
  reads[1] = {0};
  const auto start = std::chrono::steady_clock::now();
  layOut(reads);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace tessera::report
