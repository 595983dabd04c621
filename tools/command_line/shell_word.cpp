#include "tools/command_line/shell_word.h"

namespace tessera::cli {

std::string shellWord(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

}  // namespace tessera::cli
