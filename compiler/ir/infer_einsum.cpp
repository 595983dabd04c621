// Einstein summation: the equation "ij,jk->ik" names each dimension of each input; dimensions of
// the result are those after the arrow or, without one, the letters that occur once, in
// alphabetical order after the ellipsis.
#include <map>

#include "compiler/ir/infer_common.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::ir {

namespace {

/// The dimensions that an equation names.
struct Einsum {
  std::map<char, Dim> letters;
  std::map<char, int> occurrences;
  Dims ellipsis;
  std::string result;
};

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

/// Gives the letters of one term the dimensions of its input; nothing, after an error, when they do
/// not fit.
static mlir::LogicalResult bindTerm(EinsumOp op, Einsum& einsum, llvm::StringRef term,
                                    const Dims& dims) {
  const bool hasEllipsis = term.contains(kEllipsis);
  const size_t numLetters = term.size() - (hasEllipsis ? 1 : 0);
  if (dims.size() < numLetters || (!hasEllipsis && dims.size() != numLetters))
    return op.emitOpError() << "(C1) term '" << term << "' is for an input of shape "
                            << toText(dims) << ", expected one letter for each dimension";
  size_t next = 0;
  for (const char letter : term) {
    if (letter == kEllipsis) {
      const size_t count = dims.size() - numLetters;
      const auto both =
          broadcastShapes(einsum.ellipsis, llvm::ArrayRef<Dim>(dims).slice(next, count));
      if (!both)
        return op.emitOpError()
               << "(C2) dimensions of the ellipsis differ, expected sizes that are equal or 1";
      einsum.ellipsis = *both;
      next += count;
      continue;
    }
    const auto [it, isNew] = einsum.letters.emplace(letter, dims[next]);
    const std::optional<Dim> both = mergeDims(it->second, dims[next++]);
    if (!both)
      return op.emitOpError() << "(C2) letter '" << std::string(1, letter) << "' has sizes "
                              << it->second.size << " and " << dims[next - 1].size
                              << ", expected equal ones";
    it->second = *both;
    ++einsum.occurrences[letter];
  }
  return mlir::success();
}

/// Parses and binds the equation; an error unless it fits the inputs.
static std::optional<Einsum> parseEinsum(EinsumOp op) {
  Einsum einsum;
  std::string equation = op.getEquation().str();
  std::erase(equation, ' ');
  const auto [left, right] = llvm::StringRef(equation).split("->");
  const bool hasArrow = llvm::StringRef(equation).contains("->");
  llvm::SmallVector<llvm::StringRef> texts;
  left.split(texts, ',');
  const auto fail = [&](const llvm::Twine& why) {
    op.emitOpError() << "(C1) equation '" << op.getEquation() << "' " << why;
    return std::nullopt;
  };
  if (texts.size() != op.getInputs().size() || texts.empty())
    return fail("has " + llvm::Twine(texts.size()) + " terms, expected " +
                llvm::Twine(op.getInputs().size()));
  for (auto [text, input] : llvm::zip_equal(texts, op.getInputs())) {
    const std::optional<std::string> term = parseTerm(text);
    if (!term)
      return fail("has a term that is no list of letters, expected letters and at most one '...'");
    if (mlir::failed(bindTerm(op, einsum, *term, dimsOf(typeOf(input))))) return std::nullopt;
  }
  if (!hasArrow) {
    if (llvm::is_contained(left, kEllipsis)) einsum.result += kEllipsis;
    for (const auto& [letter, count] : einsum.occurrences) {
      if (count == 1) einsum.result += letter;
    }
    return einsum;
  }
  const std::optional<std::string> result = parseTerm(right);
  if (!result)
    return fail("has a result that is no list of letters, expected letters and at most one '...'");
  for (const char letter : *result) {
    if (letter != kEllipsis &&
        (!einsum.letters.contains(letter) || llvm::count(*result, letter) > 1))
      return fail("has result '" + llvm::Twine(right) +
                  "', expected letters of the inputs, each once");
  }
  einsum.result = *result;
  return einsum;
}

mlir::LogicalResult EinsumOp::inferTypes(Types& types) {
  if (getInputs().empty()) return emitOpError() << "(C1) has no input, expected at least one";
  for (const mlir::Value input : getInputs()) {
    if (mlir::failed(expectSameElement(*this, "(C3)", getInputs()[0], input)))
      return mlir::failure();
  }
  const std::optional<Einsum> einsum = parseEinsum(*this);
  if (!einsum) return mlir::failure();
  Dims result;
  for (const char letter : einsum->result) {
    if (letter == kEllipsis)
      result.append(einsum->ellipsis);
    else
      result.push_back(einsum->letters.at(letter));
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

int64_t EinsumOp::getFlops() {
  const std::optional<Einsum> einsum = parseEinsum(*this);
  if (!einsum) return -1;
  int64_t points = staticProduct(einsum->ellipsis);
  for (const auto& [letter, dim] : einsum->letters)
    points = saturatingProduct(points, dim.isStatic() ? dim.size : -1);
  return saturatingProduct(2, points);
}

}  // namespace tessera::ir
