// Result<T>: the value of a call or the reason why there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// What kind of failure; the numbers are the exit codes of the command line tools.
enum class ErrorCode : uint8_t {
  kInvalidInput = 1,   ///< The user's model, file or tensor is wrong.
  kUsage = 2,          ///< The call or command line is wrong.
  kTargetFailed = 3,   ///< A backend, compiler or device failed.
  kResultsDiffer = 4,  ///< Outputs are outside the tolerance.
};

/// One failure: a sentence (lower-case first letter, no full stop) that says what was found and
/// what was expected, the place it is about, and further notes.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string message;
  std::string file = {};  ///< Empty when unknown.
  std::string node = {};  ///< ONNX node name, or "name (OpType)"; empty when unknown.
  std::vector<std::string> notes = {};

  /// "file: node 'x': message" plus one "note: ..." line for each note.
  std::string toString() const {
    std::string text;
    if (!file.empty()) text += file + ": ";
    if (!node.empty()) text += "node '" + node + "': ";
    text += message;
    for (const std::string& note : notes) text += "\nnote: " + note;
    return text;
  }
};

inline Error invalidInput(std::string message) {
  return Error{.code = ErrorCode::kInvalidInput, .message = std::move(message)};
}
inline Error usageError(std::string message) {
  return Error{.code = ErrorCode::kUsage, .message = std::move(message)};
}
inline Error targetFailed(std::string message) {
  return Error{.code = ErrorCode::kTargetFailed, .message = std::move(message)};
}

/// A value of type T or an Error; the surface of std::expected<T, Error> (C++23) as far as we use
/// it.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return *std::get_if<1>(&state_); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace tessera

#define TESSERA_CONCAT_IMPL(a, b) a##b
#define TESSERA_CONCAT(a, b) TESSERA_CONCAT_IMPL(a, b)

/// TESSERA_TRY(auto x, call()): x is the value, or the enclosing function returns the error.
#define TESSERA_TRY(decl, ...) \
  TESSERA_TRY_IMPL(TESSERA_CONCAT(tesseraResult_, __LINE__), decl, __VA_ARGS__)
#define TESSERA_TRY_IMPL(result, decl, ...)      \
  auto result = (__VA_ARGS__);                   \
  if (!result) return std::move(result).error(); \
  decl = std::move(result).value()

/// TESSERA_TRY_VOID(call()): for calls that return Status.
#define TESSERA_TRY_VOID(...)                               \
  do {                                                      \
    if (auto tesseraStatus = (__VA_ARGS__); !tesseraStatus) \
      return std::move(tesseraStatus).error();              \
  } while (false)
