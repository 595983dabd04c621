// Operators with absurd numbers: whatever stands in types, attributes and constants, parsing and
// verifying end with a module or an error, never with a crash.
#include <gtest/gtest.h>

#include <random>

#include "compiler/conformance/op_cases/op_cases.h"
#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::test {
namespace {

using op_cases::OpCase;

/// Where the numbers of a text begin and end; those of type names (f32) and of values (%v0) are
/// none.
std::vector<std::pair<size_t, size_t>> numbersIn(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t at = 0; at < text.size(); ++at) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool isPart = std::isalnum(static_cast<unsigned char>(before)) != 0 && before != 'x';
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0 || isPart) continue;
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    places.emplace_back(at, end);
    at = end;
  }
  return places;
}

/// Puts another number in the place of a random one.
void mutate(std::string& text, std::mt19937& random) {
  static const char* const kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "7",
                                         "65",
                                         "1073741824",
                                         "2147483648",
                                         "4294967297",
                                         "4611686018427387904",
                                         "9223372036854775807",
                                         "?",
                                         "-1",
                                         "-2",
                                         "-9223372036854775808"};
  const auto places = numbersIn(text);
  if (places.empty()) return;
  const auto [begin, end] = places[random() % places.size()];
  text.replace(begin, end - begin, kNumbers[random() % std::size(kNumbers)]);
}

/// Mutates some of the operands' types, constants and attributes.
OpCase mutated(OpCase opCase, std::mt19937& random) {
  const size_t count = 1 + random() % 3;
  for (size_t i = 0; i < count; ++i) {
    const size_t place = random() % (opCase.operands.size() + 1);
    mutate(place == 0 ? opCase.attributes : opCase.operands[place - 1], random);
  }
  return opCase;
}

/// The case with results of dynamic sizes, so that other operands than those it was written for are
/// legal as well.
OpCase withDynamicResults(OpCase opCase) {
  for (std::string& result : opCase.results) {
    if (result.find('#') != std::string::npos) continue;
    std::string dynamic;
    for (size_t at = 0; at < result.size();) {
      const size_t end = result.find('x', at);
      if (end == std::string::npos) {
        dynamic += result.substr(at);
        break;
      }
      dynamic += "?x";
      at = end + 1;
    }
    result = dynamic;
  }
  return opCase;
}

TEST(HostileOps, NeverCrash) {
  constexpr unsigned kSeed = 20240917;
  constexpr int kMutations = 40;
  std::mt19937 random(kSeed);
  size_t numAccepted = 0;
  for (const OpCase& opCase : op_cases::allOpCases()) {
    TestContext context;
    const OpCase original = withDynamicResults(opCase);
    for (int i = 0; i < kMutations; ++i) {
      const std::string text = toModule(mutated(original, random));
      SCOPED_TRACE(text);
      const auto module = context.parse(text);
      if (!module) continue;
      ++numAccepted;
      module.get()->walk([](TsrOpInterface op) {
        EXPECT_GE(op.getFlops(), -1);
        EXPECT_GE(op.getBytes(), -1);
      });
    }
  }
  // The mutations are not so wild that nothing is left to look at.
  EXPECT_GT(numAccepted, 1000U);
}

}  // namespace
}  // namespace tessera::ir::test
