// Decoding an untrusted header. FlatBuffers' Verifier makes every offset point inside the header,
// but lets many references share one table, so a small header could describe gigabytes: Budget
// bounds what decoding produces by what an honest header, which shares nothing, can hold.
#include <algorithm>

#include "artifact/fields.h"

namespace tessera::artifact {
namespace {

/// Bytes of the header that decoding may still account for.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : left_(bytes) {}
  bool take(uint64_t bytes) {
    if (bytes > left_) exceeded_ = true;
    left_ -= std::min(bytes, left_);
    return !exceeded_;
  }
  bool exceeded() const { return exceeded_; }

 private:
  uint64_t left_;
  bool exceeded_ = false;
};

/// One pass over the header; after an exceeded budget or an error the rest comes out empty.
class Decoder {
 public:
  explicit Decoder(uint64_t headerSize) : budget_(headerSize) {}

  /// Reads the fields of `table` that fields.def lists.
  template <typename Struct>
  void read(const flatbuffers::Table& table, Struct& object) {
    Fields<Struct>::visit([&](const auto& field) {
      auto& value = object.*field.member;
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (kIsScalar<Value>) {
        using Scalar = typename ScalarOf<Value>::Type;
        value = static_cast<Value>(
            table.GetField<Scalar>(field.place, static_cast<Scalar>(Struct{}.*field.member)));
      } else if constexpr (std::is_same_v<Value, std::string>) {
        value = text(table.GetPointer<const flatbuffers::String*>(field.place));
      } else {
        value = list<typename Value::value_type>(table, field.place);
      }
    });
  }

  /// The vector in a field of `table`; empty where there is none.
  template <typename T>
  std::vector<T> list(const flatbuffers::Table& table, flatbuffers::voffset_t place) {
    if constexpr (kIsScalar<T>) {
      const auto* vector = table.GetPointer<const flatbuffers::Vector<T>*>(place);
      if (vector == nullptr || !budget_.take(uint64_t{vector->size()} * sizeof(T))) return {};
      return {vector->begin(), vector->end()};
    } else if constexpr (std::is_same_v<T, std::string>) {
      return elements<T, flatbuffers::String>(
          table, place, [&](const flatbuffers::String& string) { return text(&string); });
    } else if constexpr (std::is_same_v<T, Instruction>) {
      return elements<T, schema::Instruction>(
          table, place, [&](const schema::Instruction& element) { return instruction(element); });
    } else {
      return elements<T, flatbuffers::Table>(table, place, [&](const flatbuffers::Table& element) {
        T object;
        read(element, object);
        return object;
      });
    }
  }

  Status status() const {
    if (budget_.exceeded())
      return invalidInput("artifact header refers to the same data many times");
    if (!error_.empty()) return invalidInput(error_);
    return {};
  }

 private:
  std::string text(const flatbuffers::String* string) {
    if (string == nullptr || !budget_.take(string->size())) return {};
    return string->str();
  }

  template <typename T, typename Stored, typename Decode>
  std::vector<T> elements(const flatbuffers::Table& table, flatbuffers::voffset_t place,
                          const Decode& decode) {
    const auto* vector =
        table.GetPointer<const flatbuffers::Vector<flatbuffers::Offset<Stored>>*>(place);
    std::vector<T> out;
    if (vector == nullptr || !budget_.take(uint64_t{vector->size()} * sizeof(uint32_t))) return out;
    out.reserve(vector->size());
    for (const Stored* element : *vector) {
      if (budget_.exceeded()) break;
      out.push_back(decode(*element));
    }
    return out;
  }

  template <typename Alternative>
  Instruction alternative(const void* operation) {
    Alternative object;
    read(*static_cast<const flatbuffers::Table*>(operation), object);
    return object;
  }

  Instruction instruction(const schema::Instruction& stored) {
    // A damaged header may name a kind and hold no operation.
    switch (stored.operation() == nullptr ? schema::Operation_NONE : stored.operation_type()) {
      case schema::Operation_Call:
        return alternative<CallInstruction>(stored.operation());
      case schema::Operation_Copy:
        return alternative<CopyInstruction>(stored.operation());
      case schema::Operation_View:
        return alternative<ViewInstruction>(stored.operation());
      default:
        error_ = "the artifact's program has an instruction of unknown kind " +
                 std::to_string(stored.operation_type());
        return CopyInstruction{};
    }
  }

  Budget budget_;
  std::string error_;
};

/// Blobs must be aligned, inside the blob part of the file and disjoint.
Status checkBlobs(const std::vector<StoredBlob>& blobs, uint64_t blobsEnd) {
  std::vector<const StoredBlob*> byOffset;
  for (size_t i = 0; i < blobs.size(); ++i) {
    const StoredBlob& blob = blobs[i];
    if (blob.offset < sizeof(Preamble) || blob.offset > blobsEnd ||
        blob.sizeBytes > blobsEnd - blob.offset) {
      return invalidInput("blob " + std::to_string(i) + " lies outside the artifact: offset " +
                          std::to_string(blob.offset) + ", size " + std::to_string(blob.sizeBytes) +
                          ", blobs end at " + std::to_string(blobsEnd));
    }
    if (blob.offset % blobAlignment(blob.sizeBytes) != 0) {
      return invalidInput("blob " + std::to_string(i) + " at offset " +
                          std::to_string(blob.offset) + " is not aligned to " +
                          std::to_string(blobAlignment(blob.sizeBytes)));
    }
    if (blob.sizeBytes > 0) byOffset.push_back(&blob);
  }
  std::ranges::sort(byOffset, {}, [](const StoredBlob* blob) { return blob->offset; });
  for (size_t i = 1; i < byOffset.size(); ++i) {
    if (byOffset[i - 1]->offset + byOffset[i - 1]->sizeBytes > byOffset[i]->offset) {
      return invalidInput("two blobs of the artifact overlap at offset " +
                          std::to_string(byOffset[i]->offset));
    }
  }
  return {};
}

/// The bytes of blob `index`, as a borrowed Blob.
Result<Blob> borrow(std::span<const std::byte> file, const std::vector<StoredBlob>& blobs,
                    uint32_t index) {
  if (index >= blobs.size()) {
    return invalidInput("the artifact refers to blob " + std::to_string(index) + " of " +
                        std::to_string(blobs.size()));
  }
  return Blob::borrowed(file.subspan(blobs[index].offset, blobs[index].sizeBytes));
}

Status decodeBlobs(const schema::Header& header, std::span<const std::byte> file, uint64_t blobsEnd,
                   Decoder& decoder, DecodedHeader& out) {
  if (header.blobs() != nullptr) {
    for (const schema::StoredBlob* blob : *header.blobs()) {
      out.blobs.push_back(
          {.offset = blob->offset(), .sizeBytes = blob->size(), .checksum = blob->checksum()});
    }
  }
  TESSERA_TRY_VOID(checkBlobs(out.blobs, blobsEnd));
  const auto& table = reinterpret_cast<const flatbuffers::Table&>(header);
  for (StoredConstant& constant :
       decoder.list<StoredConstant>(table, schema::Header::VT_CONSTANTS)) {
    Blob data = Blob::external(constant.sizeBytes);
    if (constant.blob != kExternal) {
      TESSERA_TRY(data, borrow(file, out.blobs, constant.blob));
    }
    out.bundle.constants.push_back(
        {.contentHash = std::move(constant.contentHash), .data = std::move(data)});
  }
  for (const uint32_t index : decoder.list<uint32_t>(table, schema::Header::VT_CODE_BLOBS)) {
    TESSERA_TRY(Blob data, borrow(file, out.blobs, index));
    out.bundle.codeBlobs.push_back(std::move(data));
  }
  return {};
}

}  // namespace

Result<DecodedHeader> decodeHeader(std::span<const std::byte> header,
                                   std::span<const std::byte> file, uint64_t blobsEnd) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(header.data());
  flatbuffers::Verifier verifier(
      bytes, header.size(), /*max_depth=*/16,
      /*max_tables=*/static_cast<flatbuffers::uoffset_t>(header.size() / 4));
  if (!schema::VerifyHeaderBuffer(verifier)) return invalidInput("artifact header is damaged");
  const schema::Header& root = *schema::GetHeader(bytes);

  Decoder decoder(header.size());
  DecodedHeader out;
  decoder.read(reinterpret_cast<const flatbuffers::Table&>(root), out.bundle);
  TESSERA_TRY_VOID(decodeBlobs(root, file, blobsEnd, decoder, out));
  TESSERA_TRY_VOID(decoder.status());
  return out;
}

}  // namespace tessera::artifact
