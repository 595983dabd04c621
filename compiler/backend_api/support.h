// A backend's yes or no to an operator or a region.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "tessera/status.h"

namespace tessera::backend_api {

struct Supported {};
/// A refusal always has a reason; users see it in reports.
struct Declined {
  std::string reason;
  /// It could not answer: its tool chain crashed, say. Users are told without asking for a report.
  bool isFailure = false;
};
using Support = std::variant<Supported, Declined>;

/// An error of an owner as its refusal: message and notes in one sentence.
inline Declined declined(const Error& error) {
  std::string reason = error.message;
  for (const std::string& note : error.notes) reason += "; " + note;
  return {.reason = std::move(reason)};
}

inline bool isSupported(const Support& support) {
  return std::holds_alternative<Supported>(support);
}

}  // namespace tessera::backend_api
