#include "backends/csource/compiler/options.h"

#include "compiler/ir/op_info.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tessera::backend_csource {

/// The CPU of this machine, as in -mcpu=native.
static const std::string& thisCpu() {
  static const std::string kName(llvm::StringRef("-mcpu=native").split('=').second);
  return kName;
}

target::TargetKind makeKind() {
  return {
      .name = kKindName,
      .attributes = {
          {.name = "cc",
           .defaultValue = std::string("cc"),
           .help = "C compiler, by name or path; cc: the first of cc, gcc, clang that there is"},
          {.name = "cflags", .help = "further arguments of the C compiler, separated by spaces"},
          {.name = "header", .help = "a C header to include, for -symbols"},
          {.name = "keep", .help = "folder in which the generated C stays"},
          {.name = "mcpu",
           .defaultValue = thisCpu(),
           .help = "CPU to compile for: native, x86-64-v3 (AVX2), x86-64-v4 (AVX-512), or a CPU's "
                   "name"},
          {.name = "symbols",
           .help =
               "operators that C functions of the header compute: \"conv=my_conv relu=my_relu\""},
      }};
}

bool isCName(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool isCallable(llvm::StringRef mnemonic) {
  const ir::OpInfo* info = ir::findByMnemonic(mnemonic);
  if (!info || info->hasOperandSegments || info->hasResultSegments) return false;
  static const llvm::StringSet<> kTold = {"auto_pad", "axis",         "ceil_mode", "dilations",
                                          "group",    "kernel_shape", "pads",      "strides"};
  return llvm::all_of(info->attributes, [](const ir::AttributeInfo& attribute) {
    return kTold.contains(attribute.name);
  });
}

static std::vector<std::string> wordsOf(llvm::StringRef text) {
  std::vector<std::string> words;
  for (const llvm::StringRef word : llvm::split(text, ' ')) {
    if (!word.empty()) words.push_back(word.str());
  }
  return words;
}

static Status addSymbol(llvm::StringRef entry, std::map<std::string, std::string>& symbols) {
  const auto [op, symbol] = entry.split('=');
  if (!isCName(symbol))
    return usageError("-symbols: expected operator=function, found '" + entry.str() + "'");
  if (!ir::findByMnemonic(op))
    return usageError("-symbols: there is no operator '" + op.str() + "'");
  if (!isCallable(op))
    return usageError("-symbols: no C function can stand for '" + op.str() +
                      "', whose attributes or optional operands it would not get");
  symbols[op.str()] = symbol.str();
  return {};
}

Result<Options> optionsOf(const target::Target& target) {
  Options options;
  options.compiler = target.stringOr("cc", "cc");
  options.flags = wordsOf(target.stringOr("cflags", ""));
  options.header = target.stringOr("header", "");
  options.keep = target.stringOr("keep", "");
  TESSERA_TRY(options.cpu, lowering::makeCpuTarget(target.stringOr("mcpu", thisCpu())));
  for (const std::string& entry : wordsOf(target.stringOr("symbols", "")))
    TESSERA_TRY_VOID(addSymbol(entry, options.symbols));
  if (!options.symbols.empty() && options.header.empty())
    return usageError("-symbols: C functions are declared in a header, which -header names");
  return options;
}

}  // namespace tessera::backend_csource
