// What trials compile is not compiled again.
#include "compiler/driver/measuring/shared_code.h"

#include <gtest/gtest.h>

namespace tessera::driver {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(SharedCode, WhatIsNewGoesOnceAndInOrder) {
  backend_api::CodeCache cache;
  size_t count = 0;
  cache.add("b", bytes({1}));
  cache.add("a", bytes({2, 3}));
  cache.add("b", bytes({4}));
  const SharedCode first = shareCode(cache, count);
  EXPECT_EQ(first.keys, nlohmann::json({"b", "a"}));
  EXPECT_EQ(*first.entries[1].second, bytes({2, 3}));
  EXPECT_TRUE(shareCode(cache, count).entries.empty());
  cache.add("c", bytes({5}));
  EXPECT_EQ(shareCode(cache, count).keys, nlohmann::json({"c"}));
}

TEST(SharedCode, IsTakenOutOfAMessage) {
  backend_api::CodeCache cache;
  worker::Message message{.header = {{kCodeKey, {"x", "y"}}},
                          .payloads = {bytes({9}), bytes({1}), bytes({2})}};
  takeSharedCode(message, cache);
  EXPECT_EQ(message.payloads.size(), 1U);
  EXPECT_EQ(*cache.find("x"), bytes({1}));
  EXPECT_EQ(*cache.find("y"), bytes({2}));
}

TEST(SharedCode, AMessageThatLacksCodeIsLeftAlone) {
  backend_api::CodeCache cache;
  worker::Message message{.header = {{kCodeKey, {"x", "y"}}}, .payloads = {bytes({9})}};
  takeSharedCode(message, cache);
  EXPECT_EQ(message.payloads.size(), 1U);
  EXPECT_EQ(cache.find("x"), nullptr);
}

}  // namespace
}  // namespace tessera::driver
