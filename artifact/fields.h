// The fields of each table, for code that treats all of them alike. Internal to artifact/ but for
// `fieldTexts`.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/artifact_generated.h"
#include "artifact/bundle.h"
#include "artifact/header_codec.h"

namespace tessera::artifact {

/// A constant as the header tells it.
struct StoredConstant {
  std::string contentHash = {};
  uint32_t blob = kExternal;
  uint64_t sizeBytes = 0;
};

/// One field of a table: a member of Struct and its place in the FlatBuffers table.
template <typename Struct, typename Value>
struct Field {
  const char* name;
  flatbuffers::voffset_t place;
  Value Struct::* member;
};

/// Specialised from fields.def: `Table` is the schema's table, visit(f) calls f with every Field.
template <typename Struct>
struct Fields;

#define TESSERA_TABLE(StructName, TableName)                  \
  template <>                                                 \
  struct Fields<StructName> {                                 \
    using Struct = StructName;                                \
    using Table = schema::TableName;                          \
    static constexpr auto create = schema::Create##TableName; \
    template <typename Visit>                                 \
    static constexpr void visit(const Visit& visit) {
#define TESSERA_FIELD(member, PLACE) visit(Field{#member, Table::VT_##PLACE, &Struct::member});
#define TESSERA_TABLE_END \
  }                       \
  }                       \
  ;
// clang-format off
#include "artifact/fields.def"
// clang-format on

/// Number of fields that fields.def lists for Struct.
template <typename Struct>
constexpr size_t fieldCount() {
  size_t count = 0;
  Fields<Struct>::visit([&](const auto&) { ++count; });
  return count;
}

template <typename T>
constexpr bool kIsScalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename T>
constexpr bool kIsVector = false;
template <typename T>
constexpr bool kIsVector<std::vector<T>> = true;

/// What FlatBuffers stores for a number or an enum.
template <typename T>
struct ScalarOf {
  using Type = T;
};
template <typename T>
  requires std::is_enum_v<T>
struct ScalarOf<T> {
  using Type = std::underlying_type_t<T>;
};

/// Every field of a region and of its implementations as (name, text), in the order of fields.def:
/// lists with ", " between their elements, "implementations[0].target".
std::vector<std::pair<std::string, std::string>> fieldTexts(const Region& region);

}  // namespace tessera::artifact
