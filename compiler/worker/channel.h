// Messages between two processes, over a stream socket.
//
// A message is a small object, written as CBOR, and payloads, which are written as they are: 8
// bytes with the size of the object, 8 with the number of payloads, 8 with the size of each, then
// the object and the payloads. Numbers are this machine's, on which both ends are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::worker {

using Bytes = std::span<const std::byte>;
using Deadline = std::chrono::steady_clock::time_point;
constexpr Deadline kNoDeadline = Deadline::max();

/// What was received.
struct Message {
  nlohmann::json header = nlohmann::json::object();  ///< Always an object.
  std::vector<std::vector<std::byte>> payloads = {};
};

/// The text with a question mark in place of each byte that is no UTF-8.
std::string validText(std::string_view text);

/// Fields of a header that another process wrote: what is absent or of another type is empty or 0.
/// Texts are valid UTF-8.
std::string textOf(const nlohmann::json& object, const char* key);
uint64_t numberOf(const nlohmann::json& object, const char* key);
/// An array; empty when it is none.
nlohmann::json listOf(const nlohmann::json& object, const char* key);

/// One end of a connected stream socket, which it owns. Not thread-safe.
class Channel {
 public:
  enum class State : uint8_t {
    kDone,
    kClosed,   ///< The other end is gone.
    kLate,     ///< The deadline passed.
    kGarbled,  ///< What came is no message; nothing more can be read.
  };
  struct Received {
    State state = State::kGarbled;
    Message message = {};
  };

  explicit Channel(int socket) : socket_(socket) {}
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  /// kDone, kClosed or kLate; after the latter nothing more can be sent.
  State send(const nlohmann::json& header, std::span<const Bytes> payloads, Deadline deadline);
  /// Memory grows with what arrives, whatever sizes the message claims.
  Received receive(Deadline deadline);
  /// Whether something came before the deadline, be it the end.
  bool waitForMore(Deadline deadline) const;
  /// False once the other end is closed, although what it sent may still be read.
  bool isOpenAtOtherEnd() const;

 private:
  State write(Bytes bytes, Deadline deadline) const;
  State read(std::span<std::byte> bytes, Deadline deadline) const;
  State readGrowing(std::vector<std::byte>& bytes, uint64_t size, Deadline deadline) const;

  int socket_ = -1;
};

}  // namespace tessera::worker
