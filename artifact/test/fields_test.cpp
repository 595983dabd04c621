// fields.def against the structs of bundle.h and the tables of artifact.fbs: a field that one of
// the three lacks would be lost without a word.
#include "artifact/fields.h"

#include <gtest/gtest.h>

#include "artifact/target_name.h"
#include "artifact/test/test_bundles.h"

namespace tessera::artifact {
namespace {

/// Stands for a value of any type where a struct is initialised.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT: converts on purpose; never called.
};

/// Members of an aggregate: as many as it takes initialisers.
template <typename Struct, typename... Initialisers>
constexpr size_t memberCount() {
  if constexpr (requires { Struct{Initialisers{}..., Anything{}}; }) {
    return memberCount<Struct, Initialisers..., Anything>();
  } else {
    return sizeof...(Initialisers);
  }
}

/// Parameters of the schema's Create function: the builder and one for each field.
template <typename Result, typename... Parameters>
constexpr size_t tableFieldCount(Result (* /*create*/)(Parameters...)) {
  return sizeof...(Parameters) - 1;
}

#define TESSERA_TABLE(Struct, Table)                                                     \
  TEST(FieldsTest, Struct##IsListedWhole) {                                              \
    constexpr size_t kFurther = std::is_same_v<Struct, Bundle> ? 3 : 0;                  \
    constexpr size_t kElsewhere = std::is_same_v<Struct, Bundle> ? 2 : 0;                \
    EXPECT_EQ(memberCount<Struct>() - kElsewhere, fieldCount<Struct>());                 \
    EXPECT_EQ(tableFieldCount(Fields<Struct>::create) - kFurther, fieldCount<Struct>()); \
  }
#define TESSERA_FIELD(member, PLACE)
#define TESSERA_TABLE_END
#include "artifact/fields.def"

TEST(FieldsTest, TextsNameEveryFieldOfARegion) {
  Region region = test::kernelRegion("add16");
  region.implementations.push_back(region.implementations[0]);
  region.implementations[1].target = "testdevice:1 -x=y";
  region.implementations[1].dimGuards = {{.input = 1, .dim = 0, .minimum = 2, .maximum = 3}};
  const auto texts = fieldTexts(region);
  const auto textOf = [&](const std::string& name) -> std::string {
    for (const auto& [key, text] : texts) {
      if (key == name) return text;
    }
    return "not there";
  };
  EXPECT_EQ(textOf("name"), "add16");
  EXPECT_EQ(textOf("nodeNames"), "node_add16");
  EXPECT_EQ(textOf("implementations[1].target"), "testdevice:1 -x=y");
  EXPECT_EQ(textOf("implementations[1].dimGuards[0].maximum"), "3");
}

TEST(TargetNameTest, IsTheFirstWord) {
  EXPECT_EQ(targetNameOf("native")->kind, "native");
  EXPECT_EQ(targetNameOf("testdevice:12 -x=a:b")->device, 12u);
  for (const char* wrong : {"", ":1", "a/b", "a:", "a:-1", "a:1x", " native", "a:99999999999"})
    EXPECT_FALSE(targetNameOf(wrong)) << wrong;
}

}  // namespace
}  // namespace tessera::artifact
