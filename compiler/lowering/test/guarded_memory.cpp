// Each piece is a mapping of its own with an unreadable page on either side. A fixed table
// remembers them: the allocator that uses it must not allocate.
#include "compiler/lowering/test/guarded_memory.h"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <mutex>

namespace tessera::lowering {

namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kMaxPieces = 1 << 18;

struct Piece {
  std::byte* mapping = nullptr;
  size_t mappingBytes = 0;
  std::byte* data = nullptr;
  size_t sizeBytes = 0;
  bool isLive = false;
};

struct Table {
  std::mutex mutex;
  std::array<Piece, kMaxPieces> pieces;
  size_t count = 0;
};

}  // namespace

/// Zero-initialised, so that it is usable before any constructor runs.
static Table& table() {
  static Table pieces;
  return pieces;
}

void* allocateGuarded(size_t sizeBytes, size_t alignment, Edge edge) {
  const size_t bodyBytes = (sizeBytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  const size_t mappingBytes = bodyBytes + 2 * kPageBytes;
  void* mapping =
      mmap(nullptr, mappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapping);
  std::byte* body = begin + kPageBytes;
  if (bodyBytes != 0 && mprotect(body, bodyBytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::byte* data = body;
  if (edge == Edge::kEnd) {
    data = body + bodyBytes - sizeBytes;
    data -= reinterpret_cast<uintptr_t>(data) % alignment;
  }
  Table& pieces = table();
  const std::scoped_lock lock(pieces.mutex);
  if (pieces.count == kMaxPieces) return nullptr;
  pieces.pieces[pieces.count++] = {.mapping = begin,
                                   .mappingBytes = mappingBytes,
                                   .data = data,
                                   .sizeBytes = sizeBytes,
                                   .isLive = true};
  return data;
}

/// The piece that begins at `address`; null without one. The caller holds the lock.
static Piece* findPiece(Table& pieces, const void* address) {
  for (size_t i = pieces.count; i-- > 0;) {
    Piece& piece = pieces.pieces[i];
    if (piece.isLive && piece.data == address) return &piece;
  }
  return nullptr;
}

bool isGuarded(const void* address) {
  Table& pieces = table();
  const std::scoped_lock lock(pieces.mutex);
  return findPiece(pieces, address) != nullptr;
}

void releaseGuarded(void* address) {
  Table& pieces = table();
  const std::scoped_lock lock(pieces.mutex);
  Piece* piece = findPiece(pieces, address);
  if (piece == nullptr) return;
  piece->isLive = false;
  // The memory goes back, the addresses do not.
  madvise(piece->mapping, piece->mappingBytes, MADV_DONTNEED);
  mprotect(piece->mapping, piece->mappingBytes, PROT_NONE);
}

ptrdiff_t distanceToGuarded(const void* address, size_t& sizeBytes) {
  const Table& pieces = table();
  const auto* place = static_cast<const std::byte*>(address);
  for (size_t i = 0; i < pieces.count; ++i) {
    const Piece& piece = pieces.pieces[i];
    if (place < piece.mapping || place >= piece.mapping + piece.mappingBytes) continue;
    sizeBytes = piece.sizeBytes;
    if (place < piece.data) return place - piece.data;
    if (place >= piece.data + piece.sizeBytes) return place - (piece.data + piece.sizeBytes) + 1;
    return 0;
  }
  sizeBytes = 0;
  return 0;
}

}  // namespace tessera::lowering
