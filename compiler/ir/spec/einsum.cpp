#include "compiler/ir/spec/einsum.h"

#include <map>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::ir::spec {

namespace {

constexpr char kEllipsis = '.';

}  // namespace

/// A term with "..." as one character; nothing when it has another character or two ellipses.
static std::optional<std::string> parseTerm(llvm::StringRef text) {
  std::string term;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      term += kEllipsis;
      continue;
    }
    if (!llvm::isAlpha(text.front())) return std::nullopt;
    term += text.front();
    text = text.drop_front();
  }
  return llvm::count(term, kEllipsis) > 1 ? std::nullopt : std::optional(term);
}

/// The labels of a term whose ellipsis stands for `ellipsisRank` dimensions.
static EinsumSpec::Labels labelsOf(llvm::StringRef term, int64_t ellipsisRank) {
  EinsumSpec::Labels labels;
  for (const char letter : term) {
    if (letter != kEllipsis) {
      labels.push_back(letter);
      continue;
    }
    for (int64_t d = ellipsisRank; d > 0; --d) labels.push_back(static_cast<int>(-d));
  }
  return labels;
}

/// The dimensions of the result where the equation has no arrow.
static EinsumSpec::Labels impliedOutput(llvm::ArrayRef<EinsumSpec::Labels> inputs, int64_t widest) {
  EinsumSpec::Labels output;
  std::map<int, int> occurrences;
  for (int64_t d = widest; d > 0; --d) output.push_back(static_cast<int>(-d));
  for (const EinsumSpec::Labels& labels : inputs) {
    for (const int label : labels) ++occurrences[label];
  }
  for (const auto& [label, count] : occurrences) {
    if (EinsumSpec::isLetter(label) && count == 1) output.push_back(label);
  }
  return output;
}

static Result<EinsumSpec::Labels> parseOutput(llvm::StringRef text,
                                              llvm::ArrayRef<EinsumSpec::Labels> inputs,
                                              int64_t widest) {
  const std::optional<std::string> term = parseTerm(text);
  if (!term)
    return invalidInput(
        "has a result that is no list of letters, expected letters and at most one '...'");
  for (const char letter : *term) {
    const bool isKnown =
        letter == kEllipsis || llvm::any_of(inputs, [&](const EinsumSpec::Labels& labels) {
          return llvm::is_contained(labels, static_cast<int>(letter));
        });
    if (!isKnown || llvm::count(*term, letter) > 1)
      return invalidInput("has result '" + text.str() +
                          "', expected letters of the inputs, each once");
  }
  return labelsOf(*term, widest);
}

Result<EinsumSpec> EinsumSpec::parse(llvm::StringRef equation, llvm::ArrayRef<int64_t> ranks) {
  std::string text = equation.str();
  std::erase(text, ' ');
  const auto [left, right] = llvm::StringRef(text).split("->");
  llvm::SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != ranks.size())
    return invalidInput("has " + std::to_string(terms.size()) + " terms, expected " +
                        std::to_string(ranks.size()));
  EinsumSpec spec;
  int64_t widest = 0;
  for (auto [number, written, rank] : llvm::enumerate(terms, ranks)) {
    const std::optional<std::string> term = parseTerm(written);
    if (!term)
      return invalidInput(
          "has a term that is no list of letters, expected letters and at most one '...'");
    const bool hasEllipsis = llvm::is_contained(*term, kEllipsis);
    const int64_t ellipsisRank = rank - static_cast<int64_t>(term->size()) + (hasEllipsis ? 1 : 0);
    if (ellipsisRank < 0 || (!hasEllipsis && ellipsisRank != 0))
      return invalidInput("has term '" + written.str() + "' for input " + std::to_string(number) +
                          " of rank " + std::to_string(rank) +
                          ", expected one letter for each dimension");
    widest = std::max(widest, ellipsisRank);
    spec.inputs.push_back(labelsOf(*term, ellipsisRank));
  }
  if (llvm::StringRef(text).contains("->")) {
    TESSERA_TRY(spec.output, parseOutput(right, spec.inputs, widest));
  } else {
    spec.output = impliedOutput(spec.inputs, widest);
  }
  return spec;
}

}  // namespace tessera::ir::spec
