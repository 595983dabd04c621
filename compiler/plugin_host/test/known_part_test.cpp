#include "compiler/plugin_host/known_part.h"

#include <gtest/gtest.h>

#include "tessera/backend_compile.h"

namespace tessera::plugin_host {
namespace {

tessera_region_code whole() {
  return {.size = sizeof(tessera_region_code),
          .blob = 3,
          .entry = "main",
          .workspace_bytes = 64,
          .least_runtime_version = "2"};
}

TEST(KnownPartTest, FieldsBehindTheEndAreZero) {
  tessera_region_code given = whole();
  given.size = offsetof(tessera_region_code, workspace_bytes);
  const tessera_region_code known = knownPart(given);
  EXPECT_EQ(known.blob, 3U);
  EXPECT_STREQ(known.entry, "main");
  EXPECT_EQ(known.workspace_bytes, 0U);
  EXPECT_EQ(known.least_runtime_version, nullptr);
}

TEST(KnownPartTest, AFieldThatIsCutIsNotKnown) {
  tessera_region_code given = whole();
  given.size = offsetof(tessera_region_code, workspace_bytes) + 4;
  EXPECT_EQ(knownPart(given).workspace_bytes, 0U);
}

TEST(KnownPartTest, WhatANewerMakerAddsIsNotRead) {
  struct Newer {
    tessera_region_code code = whole();
    uint64_t added = 7;
  } newer;
  newer.code.size = sizeof(newer);
  EXPECT_STREQ(knownPart(newer.code).least_runtime_version, "2");
}

}  // namespace
}  // namespace tessera::plugin_host
