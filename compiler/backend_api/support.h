// A backend's yes or no to an operator or a region.
#pragma once

#include <string>
#include <variant>

namespace tessera::backend_api {

struct Supported {};
/// A refusal always has a reason; users see it in reports.
struct Declined {
  std::string reason;
};
using Support = std::variant<Supported, Declined>;

inline bool isSupported(const Support& support) {
  return std::holds_alternative<Supported>(support);
}

}  // namespace tessera::backend_api
