#include "shared/blob.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tessera_openvino {

constexpr char kMagic[8] = {'T', 'S', 'R', 'O', 'V', 'I', 'N', '1'};
constexpr uint64_t kWeightAlignment = 64;

namespace {

/// Offsets count from the blob's begin. After the header: regions, weights, what they point to.
struct Header {
  char magic[sizeof(kMagic)] = {};
  uint64_t numRegions = 0;
  uint64_t numWeights = 0;
};
struct RegionEntry {
  uint64_t protoOffset = 0, protoSize = 0;
  uint64_t placesOffset = 0, numPlaces = 0;
};
struct WeightEntry {
  uint64_t offset = 0, size = 0;
};

/// Reads parts of a blob; throws where they do not lie within it.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> blob) : blob_(blob) {
    header_ = read<Header>(0);
    if (std::memcmp(header_.magic, kMagic, sizeof(kMagic)) != 0) fail();
    const uint64_t limit = blob.size() / sizeof(WeightEntry);
    if (header_.numRegions > limit || header_.numWeights > limit) fail();
  }

  const Header& header() const { return header_; }

  RegionEntry region(uint64_t i) const {
    if (i >= header_.numRegions) fail();
    return read<RegionEntry>(sizeof(Header) + i * sizeof(RegionEntry));
  }
  std::span<const std::byte> weight(uint64_t i) const {
    if (i >= header_.numWeights) fail();
    const auto entry = read<WeightEntry>(sizeof(Header) + header_.numRegions * sizeof(RegionEntry) +
                                         i * sizeof(WeightEntry));
    return part(entry.offset, entry.size);
  }
  std::span<const std::byte> part(uint64_t offset, uint64_t size) const {
    if (offset > blob_.size() || size > blob_.size() - offset) fail();
    return blob_.subspan(offset, size);
  }
  template <typename T>
  T read(uint64_t offset) const {
    T value;
    std::memcpy(&value, part(offset, sizeof(T)).data(), sizeof(T));
    return value;
  }
  [[noreturn]] static void fail() { throw std::runtime_error("the code is not that of a region"); }

 private:
  std::span<const std::byte> blob_;
  Header header_;
};

}  // namespace

uint64_t BlobWriter::add(const PointerModel& model, const tessera_onnx_model& given) {
  const auto numberOf = [&](uint64_t i) {
    const tessera_weight& weight = *given.weights[i];
    const auto found = std::ranges::find(weights_, weight.hash, &Weight::hash);
    if (found == weights_.end()) {
      weights_.push_back({.hash = weight.hash,
                          .bytes = {static_cast<const std::byte*>(weight.data), weight.data_size}});
      return weights_.size() - 1;
    }
    return static_cast<size_t>(found - weights_.begin());
  };
  Region& region = regions_.emplace_back();
  region.proto = model.proto;
  for (const AddressPlace& place : model.places)
    region.places.push_back({.position = place.position, .weight = numberOf(place.weight)});
  return regions_.size() - 1;
}

std::vector<std::byte> BlobWriter::finish() const {
  uint64_t end = sizeof(Header) + regions_.size() * sizeof(RegionEntry) +
                 weights_.size() * sizeof(WeightEntry);
  const auto place = [&](uint64_t size, uint64_t alignment) {
    const uint64_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + size;
    return begin;
  };
  std::vector<RegionEntry> regions;
  std::vector<WeightEntry> weights;
  for (const Region& region : regions_) {
    RegionEntry& entry = regions.emplace_back();
    entry = {.protoSize = region.proto.size(), .numPlaces = region.places.size()};
    entry.placesOffset = place(region.places.size() * sizeof(AddressPlace), sizeof(uint64_t));
    entry.protoOffset = place(region.proto.size(), 1);
  }
  for (const Weight& weight : weights_)
    weights.push_back(
        {.offset = place(weight.bytes.size(), kWeightAlignment), .size = weight.bytes.size()});
  std::vector<std::byte> blob(end);
  const auto write = [&](uint64_t offset, const void* bytes, uint64_t size) {
    if (size > 0) std::memcpy(blob.data() + offset, bytes, size);
  };
  Header header{.numRegions = regions.size(), .numWeights = weights.size()};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  write(0, &header, sizeof(header));
  const uint64_t regionsSize = regions.size() * sizeof(RegionEntry);
  write(sizeof(Header), regions.data(), regionsSize);
  write(sizeof(Header) + regionsSize, weights.data(), weights.size() * sizeof(WeightEntry));
  for (size_t i = 0; i < regions.size(); ++i) {
    write(regions[i].placesOffset, regions_[i].places.data(),
          regions_[i].places.size() * sizeof(AddressPlace));
    write(regions[i].protoOffset, regions_[i].proto.data(), regions_[i].proto.size());
  }
  for (size_t i = 0; i < weights.size(); ++i)
    write(weights[i].offset, weights_[i].bytes.data(), weights[i].size);
  return blob;
}

std::string modelOf(std::span<const std::byte> blob, uint64_t region) {
  const Reader reader(blob);
  const RegionEntry entry = reader.region(region);
  const std::span<const std::byte> bytes = reader.part(entry.protoOffset, entry.protoSize);
  std::string proto(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (entry.numPlaces > blob.size()) Reader::fail();
  for (uint64_t i = 0; i < entry.numPlaces; ++i) {
    const auto place = reader.read<AddressPlace>(entry.placesOffset + i * sizeof(AddressPlace));
    if (proto.size() < kAddressDigits || place.position > proto.size() - kAddressDigits)
      Reader::fail();
    setAddress(proto, place.position, reader.weight(place.weight).data());
  }
  return proto;
}

std::vector<std::span<const std::byte>> weightsOf(std::span<const std::byte> blob) {
  const Reader reader(blob);
  std::vector<std::span<const std::byte>> weights;
  for (uint64_t i = 0; i < reader.header().numWeights; ++i) weights.push_back(reader.weight(i));
  return weights;
}

uint64_t numRegionsOf(std::span<const std::byte> blob) { return Reader(blob).header().numRegions; }

}  // namespace tessera_openvino
