#include "compiler/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace tessera::worker {

using nlohmann::json;

/// More than these is no message of ours.
constexpr uint64_t kMaxHeaderBytes = uint64_t{1} << 28;
constexpr uint64_t kMaxPayloads = uint64_t{1} << 20;
constexpr uint64_t kMaxBytes = uint64_t{1} << 36;

/// How many bytes of UTF-8 begin `text`; 0 when they are none: RFC 3629, without what is longer
/// than it need be and without halves of pairs.
static size_t lengthOfCharacter(std::string_view text) {
  struct Range {
    unsigned char first, last;    ///< Of the first byte.
    unsigned char second, until;  ///< Of the second one; those behind are 0x80 to 0xbf.
    size_t length;
  };
  static constexpr Range kRanges[] = {
      {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto range = std::ranges::find_if(
      kRanges, [&](const Range& each) { return at(0) >= each.first && at(0) <= each.last; });
  if (range == std::end(kRanges) || range->length > text.size()) return 0;
  for (size_t i = 1; i < range->length; ++i) {
    const bool isSecond = i == 1;
    if (at(i) < (isSecond ? range->second : 0x80) || at(i) > (isSecond ? range->until : 0xbf))
      return 0;
  }
  return range->length;
}

std::string validText(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = lengthOfCharacter(text);
    valid += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

std::string textOf(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end() || !found->is_string()) return {};
  return validText(found->get_ref<const std::string&>());
}

/// Whether the bytes are one item of CBOR (RFC 8949) with lengths in front and little nested, as
/// `send` writes it. Looked at before it is parsed: the library takes memory for as many entries as
/// an array says that it has, ends the process where that is too many, and calls itself for what is
/// nested.
static bool isSound(std::span<const std::byte> bytes) {
  constexpr size_t kMaxDepth = 16;
  std::array<uint64_t, kMaxDepth> left = {1};  // Items that are still to come, for each level.
  for (size_t depth = 1; depth > 0;) {
    if (left[depth - 1] == 0) {
      --depth;
      continue;
    }
    --left[depth - 1];
    if (bytes.empty()) return false;
    const auto head = std::to_integer<uint32_t>(bytes[0]), kind = head >> 5;
    bytes = bytes.subspan(1);
    uint64_t value = head & 0x1f;
    if (value > 27) return false;  // No length in front.
    if (value >= 24) {
      const size_t width = size_t{1} << (value - 24);
      if (bytes.size() < width) return false;
      value = 0;
      for (const std::byte byte : bytes.first(width))
        value = value << 8 | std::to_integer<uint64_t>(byte);
      bytes = bytes.subspan(width);
    }
    const bool isText = kind == 2 || kind == 3, isList = kind == 4 || kind == 5, isTag = kind == 6;
    if (isTag || ((isText || isList) && value > bytes.size())) return false;
    if (isText) bytes = bytes.subspan(value);
    if (isList && depth == kMaxDepth) return false;
    if (isList) left[depth++] = kind == 5 ? 2 * value : value;
  }
  return bytes.empty();
}

/// Discarded when the bytes are no object of ours.
static json parseObject(std::span<const std::byte> bytes) {
  if (!isSound(bytes)) return json::value_t::discarded;
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  return json::from_cbor(begin, begin + bytes.size(), /*strict=*/true, /*allow_exceptions=*/false);
}

uint64_t numberOf(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

json listOf(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_array() ? *found : json::array();
}

Channel::Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

Channel::~Channel() {
  if (socket_ >= 0) close(socket_);
}

/// Whether the socket became ready for `events` before the deadline.
static bool waitFor(int socket, int16_t events, Deadline deadline) {
  while (true) {
    int milliseconds = -1;
    if (deadline != kNoDeadline) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      milliseconds =
          static_cast<int>(std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
    }
    pollfd poll = {.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&poll, 1, milliseconds);
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return true;  // The call that follows says what is wrong.
  }
}

bool Channel::waitForMore(Deadline deadline) const { return waitFor(socket_, POLLIN, deadline); }

bool Channel::isOpenAtOtherEnd() const {
  pollfd poll = {.fd = socket_, .events = POLLRDHUP, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&poll, 1, 0);
  } while (ready < 0 && errno == EINTR);
  return ready == 0;
}

Channel::State Channel::write(Bytes bytes, Deadline deadline) const {
  while (!bytes.empty()) {
    const ssize_t written =
        ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!waitFor(socket_, POLLOUT, deadline)) return State::kLate;
    } else if (errno != EINTR) {
      return State::kClosed;
    }
  }
  return State::kDone;
}

Channel::State Channel::read(std::span<std::byte> bytes, Deadline deadline) const {
  while (!bytes.empty()) {
    const bool isLate = std::chrono::steady_clock::now() >= deadline;  // However fast they come.
    if (isLate || !waitFor(socket_, POLLIN, deadline)) return State::kLate;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0) {
      bytes = bytes.subspan(static_cast<size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      return State::kClosed;
    }
  }
  return State::kDone;
}

Channel::State Channel::readGrowing(std::vector<std::byte>& bytes, uint64_t size,
                                    Deadline deadline) const {
  constexpr uint64_t kFirstBytes = uint64_t{1} << 16;
  while (bytes.size() < size) {
    const uint64_t have = bytes.size();
    bytes.resize(have + std::min(size - have, std::max(have, kFirstBytes)));
    const State state = read(std::span(bytes).subspan(have), deadline);
    if (state != State::kDone) return state;
  }
  return State::kDone;
}

Channel::State Channel::send(const json& header, std::span<const Bytes> payloads,
                             Deadline deadline) {
  const std::vector<uint8_t> object = json::to_cbor(header);
  std::vector<uint64_t> sizes = {object.size(), payloads.size()};
  for (const Bytes payload : payloads) sizes.push_back(payload.size());
  std::vector<Bytes> parts = {std::as_bytes(std::span(sizes)), std::as_bytes(std::span(object))};
  parts.insert(parts.end(), payloads.begin(), payloads.end());
  for (const Bytes part : parts) {
    const State state = write(part, deadline);
    if (state != State::kDone) return state;
  }
  return State::kDone;
}

Channel::Received Channel::receive(Deadline deadline) {
  std::array<uint64_t, 2> counts = {};
  State state = read(std::as_writable_bytes(std::span(counts)), deadline);
  if (state != State::kDone) return {.state = state};
  if (counts[0] > kMaxHeaderBytes || counts[1] > kMaxPayloads) return {.state = State::kGarbled};
  std::vector<uint64_t> sizes(counts[1]);
  state = read(std::as_writable_bytes(std::span(sizes)), deadline);
  std::vector<std::byte> object;
  if (state == State::kDone) state = readGrowing(object, counts[0], deadline);
  if (state != State::kDone) return {.state = state};
  Received received{.state = State::kDone, .message = {}};
  received.message.header = parseObject(object);
  if (!received.message.header.is_object()) return {.state = State::kGarbled};
  uint64_t total = 0;
  for (const uint64_t size : sizes) {
    if (size > kMaxBytes - total) return {.state = State::kGarbled};
    total += size;
    state = readGrowing(received.message.payloads.emplace_back(), size, deadline);
    if (state != State::kDone) return {.state = state};
  }
  return received;
}

}  // namespace tessera::worker
