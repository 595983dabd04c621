#include "base/time_text.h"

#include <cstdio>

namespace tessera::base {

std::string timeText(double seconds) {
  char text[32];
  const double size = seconds < 0 ? -seconds : seconds;
  if (size >= 1)
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  else if (size >= 1e-3)
    std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  return text;
}

}  // namespace tessera::base
