#include "runtime/backend/refusal_text.h"

namespace tessera::runtime {

std::string refusalText(std::string_view text, int64_t found, int64_t expected) {
  std::string filled;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view place = text.substr(i, 3);
    if (place == "{0}" || place == "{1}") {
      filled += std::to_string(place == "{0}" ? found : expected);
      i += 2;
    } else {
      filled += text[i];
    }
  }
  return filled;
}

}  // namespace tessera::runtime
