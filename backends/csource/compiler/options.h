// What a target's attributes say.
#pragma once

#include <map>

#include "compiler/lowering/object/llvm_target.h"
#include "compiler/target/target.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::backend_csource {

inline constexpr const char* kKindName = "csource";

struct Options {
  lowering::CpuTarget cpu;
  std::string compiler;            ///< As the user names it.
  std::vector<std::string> flags;  ///< Further arguments of the compiler.
  std::string header;              ///< A file that the generated C includes; empty: none.
  /// Operators, by mnemonic, that C functions of the header compute.
  std::map<std::string, std::string> symbols;
  std::string keep;  ///< The folder in which the generated C stays; empty: none.
};

/// The kind with its attributes.
target::TargetKind makeKind();

/// Errors (kUsage): an unknown CPU, an operator that no C function can stand for, a name that is
/// none in C, functions without a header.
Result<Options> optionsOf(const target::Target& target);

/// Whether csource_operation tells all that the operator has: no attributes but those of windows, a
/// group and an axis, no optional operands but the last.
bool isCallable(llvm::StringRef mnemonic);

/// Whether `text` is an identifier of C.
bool isCName(llvm::StringRef text);

}  // namespace tessera::backend_csource
