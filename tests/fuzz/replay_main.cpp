// A fuzz target without libFuzzer: runs every seed of a folder, then a fixed number of random
// mutations of them. Deterministic: the same seeds and count give the same inputs with every
// compiler.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

/// splitmix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  /// A number in [0, bound); 0 when bound is 0.
  uint64_t below(uint64_t bound) {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return bound == 0 ? 0 : (z ^ (z >> 31)) % bound;
  }

 private:
  uint64_t state_;
};

}  // namespace

static std::vector<Bytes> readSeeds(const char* folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::vector<Bytes> seeds;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// One to four edits: flip a bit, set a byte to an edge value, cut the tail, insert, erase, or copy
/// from another seed.
static Bytes mutate(Bytes bytes, const std::vector<Bytes>& seeds, Random& random) {
  static constexpr uint8_t kEdgeValues[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
  const uint64_t edits = 1 + random.below(4);
  for (uint64_t i = 0; i < edits && !bytes.empty(); ++i) {
    const uint64_t at = random.below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const uint64_t length = std::min<uint64_t>(1 + random.below(16), bytes.size() - at);
    // Edits that keep the length come more often: behind a wrong length prefix little code is left
    // to reach.
    const uint64_t kind = random.below(12);
    if (kind < 4) {
      bytes[at] ^= static_cast<uint8_t>(1U << random.below(8));
    } else if (kind < 7) {
      bytes[at] = kEdgeValues[random.below(std::size(kEdgeValues))];
    } else if (kind < 9) {
      const Bytes& other = seeds[random.below(seeds.size())];
      for (uint64_t k = 0; k < length && at + k < other.size(); ++k) bytes[at + k] = other[at + k];
    } else if (kind == 9) {
      bytes.resize(at);
    } else if (kind == 10) {
      bytes.insert(place, length, static_cast<uint8_t>(random.below(256)));
    } else {
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(length));
    }
  }
  return bytes;
}

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s SEED_FOLDER [MUTATIONS]\n", argv[0]);
    return 2;
  }
  const std::vector<Bytes> seeds = readSeeds(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds\n", argv[1]);
    return 1;
  }
  for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  const long mutations = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  Random random(1);
  for (long i = 0; i < mutations; ++i) {
    const Bytes input = mutate(seeds[random.below(seeds.size())], seeds, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds and %ld mutations without a finding\n", seeds.size(), mutations);
  return 0;
}
