// One encoder for all tables: FlatBuffers wants strings, vectors and inner tables written before
// the table that refers to them, so each table is walked twice.
#include <array>

#include "artifact/fields.h"

namespace tessera::artifact {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::uoffset_t;

class Encoder {
 public:
  explicit Encoder(FlatBufferBuilder& builder) : builder_(builder) {}

  /// Writes what a field of this value refers to and returns where; 0: nothing, the value is in the
  /// table itself or empty.
  template <typename T>
  uoffset_t place(const T& value) {
    if constexpr (kIsScalar<T>) {
      return 0;
    } else if constexpr (std::is_same_v<T, std::string>) {
      return value.empty() ? 0 : builder_.CreateString(value).o;
    } else if constexpr (kIsVector<T>) {
      return value.empty() ? 0 : placeVector(value);
    } else if constexpr (std::is_same_v<T, Instruction>) {
      return placeInstruction(value);
    } else {
      return placeTable(value, [] {});
    }
  }

  /// The table of `object`; addMore adds fields that fields.def does not list.
  template <typename Struct, typename AddMore>
  uoffset_t placeTable(const Struct& object, const AddMore& addMore) {
    std::array<uoffset_t, fieldCount<Struct>()> places;
    size_t next = 0;
    Fields<Struct>::visit([&](const auto& field) { places[next++] = place(object.*field.member); });
    const uoffset_t start = builder_.StartTable();
    next = 0;
    Fields<Struct>::visit([&](const auto& field) {
      const auto& value = object.*field.member;
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (kIsScalar<Value>) {
        using Scalar = typename ScalarOf<Value>::Type;
        builder_.AddElement(field.place, static_cast<Scalar>(value),
                            static_cast<Scalar>(Struct{}.*field.member));
      } else {
        builder_.AddOffset(field.place, Offset<void>(places[next]));
      }
      ++next;
    });
    addMore();
    return builder_.EndTable(start);
  }

 private:
  template <typename T>
  uoffset_t placeVector(const std::vector<T>& values) {
    if constexpr (kIsScalar<T>) {
      return builder_.CreateVector(values).o;
    } else {
      std::vector<Offset<void>> places;
      places.reserve(values.size());
      // An element of a vector cannot be absent, so an empty string is one here.
      for (const T& value : values) {
        if constexpr (std::is_same_v<T, std::string>) {
          places.emplace_back(builder_.CreateString(value).o);
        } else {
          places.emplace_back(place(value));
        }
      }
      return builder_.CreateVector(places).o;
    }
  }

  uoffset_t placeInstruction(const Instruction& instruction) {
    static_assert(std::is_same_v<Instruction,
                                 std::variant<CallInstruction, CopyInstruction, ViewInstruction>> &&
                      schema::Operation_Call == 1 && schema::Operation_Copy == 2 &&
                      schema::Operation_View == 3,
                  "the union lists the alternatives in the variant's order");
    const uoffset_t operation =
        std::visit([&](const auto& alternative) { return place(alternative); }, instruction);
    const auto kind = static_cast<schema::Operation>(instruction.index() + 1);
    return schema::CreateInstruction(builder_, kind, Offset<void>(operation)).o;
  }

  FlatBufferBuilder& builder_;
};

}  // namespace

std::vector<std::byte> encodeHeader(const Bundle& bundle, const BlobTable& table) {
  FlatBufferBuilder builder(size_t{1} << 16);
  Encoder encoder(builder);
  std::vector<StoredConstant> constants;
  constants.reserve(bundle.constants.size());
  for (size_t i = 0; i < bundle.constants.size(); ++i) {
    constants.push_back({.contentHash = bundle.constants[i].contentHash,
                         .blob = table.constantBlobs[i],
                         .sizeBytes = bundle.constants[i].data.sizeBytes()});
  }
  std::vector<schema::StoredBlob> stored;
  stored.reserve(table.blobs.size());
  for (const StoredBlob& blob : table.blobs)
    stored.emplace_back(blob.offset, blob.sizeBytes, blob.checksum);
  const Offset<void> constantsAt(encoder.place(constants));
  const Offset<void> codeBlobsAt(encoder.place(table.codeBlobs));
  const Offset<void> blobsAt(builder.CreateVectorOfStructs(stored).o);
  const Offset<schema::Header> header(encoder.placeTable(bundle, [&] {
    builder.AddOffset(schema::Header::VT_CONSTANTS, constantsAt);
    builder.AddOffset(schema::Header::VT_CODE_BLOBS, codeBlobsAt);
    builder.AddOffset(schema::Header::VT_BLOBS, blobsAt);
  }));
  builder.Finish(header);
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {begin, begin + builder.GetSize()};
}

}  // namespace tessera::artifact
