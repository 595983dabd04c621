#include "tests/parity/text.h"

#include <algorithm>
#include <sstream>

namespace tessera::tests {

/// "$, $, $": one for each value that `text` names.
static std::string typesOf(const std::string& text) {
  std::string types;
  for (auto count = std::ranges::count(text, '%'); count > 0; --count)
    types += types.empty() ? "$" : ", $";
  return types;
}

static std::string expandLine(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line.find(':') != std::string::npos) return line;
  if (line.compare(begin, 6, "return") == 0) return line + " : " + typesOf(line);
  if (line.compare(begin, 5, "yield") == 0)
    return "tsr." + line.substr(begin) + " : " + typesOf(line);
  const size_t equals = line.find(" = ");
  if (line[begin] != '%' || equals == std::string::npos) return line;
  const std::string operation = line.substr(equals + 3);
  return line.substr(0, equals) + " = tsr." + operation + " : (" + typesOf(operation) + ") -> $";
}

std::string expandModule(const std::string& text) {
  std::istringstream lines(text);
  std::string expanded;
  for (std::string line; std::getline(lines, line);) {
    for (const char letter : expandLine(line) + "\n")
      expanded += letter == '$' ? "tensor<4xf32>" : std::string(1, letter);
  }
  return expanded;
}

std::string expandGraph(const std::string& body) {
  const std::string returned = body.substr(body.rfind("return"));
  return expandModule("func.func @main(%x: $, %y: $, %z: $, %w: $) -> (" + typesOf(returned) +
                      ") {\n" + body + "\n}");
}

}  // namespace tessera::tests
