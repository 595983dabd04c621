#include "compiler/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

namespace tessera::worker {

using nlohmann::json;

/// More than these is no message of ours.
constexpr uint64_t kMaxHeaderBytes = uint64_t{1} << 28;
constexpr uint64_t kMaxPayloads = uint64_t{1} << 20;
constexpr uint64_t kMaxBytes = uint64_t{1} << 36;

std::string textOf(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
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

bool Channel::isOpenAtOtherEnd() const {
  pollfd poll = {.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&poll, 1, 0) == 0;
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
    if (!waitFor(socket_, POLLIN, deadline)) return State::kLate;
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
  const auto* text = reinterpret_cast<const uint8_t*>(object.data());
  received.message.header = json::from_cbor(text, text + object.size(), /*strict=*/true,
                                            /*allow_exceptions=*/false);
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
