#include "compiler/placement/exchange.h"

#include <gtest/gtest.h>

namespace tessera::placement {
namespace {

TEST(Exchange, TheSameOperatorsCostTheDifference) {
  Exchange exchange;
  exchange.offer({0, 1}, 5);
  exchange.choose({0, 1});
  EXPECT_EQ(exchange.loss({0, 1}, 7), 2);
  EXPECT_EQ(exchange.loss({0, 1}, 5), 0);
}

TEST(Exchange, WhatATileLeavesGoesToTheCheapestOffers) {
  Exchange exchange;
  exchange.offer({0, 1, 2}, 5);
  exchange.offer({0}, 3);
  exchange.offer({2}, 4);
  exchange.offer({2}, 2);
  exchange.choose({0, 1, 2});
  EXPECT_EQ(exchange.loss({1}, 1), 3 + 1 + 2 - 5);
  exchange.offer({0, 2}, 1);
  EXPECT_EQ(exchange.loss({1}, 1), 1 + 1 - 5);
}

TEST(Exchange, SeveralTilesMayBeBrokenUp) {
  Exchange exchange;
  for (const auto& [nodes, seconds] :
       {std::pair(Exchange::NodeSet{0, 1}, 5.0), std::pair(Exchange::NodeSet{2, 3}, 6.0),
        std::pair(Exchange::NodeSet{0}, 2.0), std::pair(Exchange::NodeSet{3}, 1.0)})
    exchange.offer(nodes, seconds);
  exchange.choose({0, 1});
  exchange.choose({2, 3});
  EXPECT_EQ(exchange.loss({1, 2}, 4), 2 + 4 + 1 - 11);
}

TEST(Exchange, NothingIsSaidWhereNobodyOffersTheRest) {
  Exchange exchange;
  exchange.offer({0, 1}, 5);
  exchange.choose({0, 1});
  EXPECT_EQ(exchange.loss({1}, 1), std::nullopt);
}

TEST(Exchange, NothingIsSaidWhereThereAreTooManyWays) {
  constexpr uint32_t kNumNodes = 40;
  Exchange exchange;
  Exchange::NodeSet all;
  for (uint32_t first = 0; first < kNumNodes; ++first) {
    all.push_back(first);
    for (uint32_t second = first + 1; second < kNumNodes; ++second) {
      exchange.offer({first, second}, 1);
    }
    exchange.offer({first}, 1);
  }
  exchange.offer(all, 1);
  exchange.choose(all);
  EXPECT_EQ(exchange.loss({0}, 1), std::nullopt);
}

}  // namespace
}  // namespace tessera::placement
