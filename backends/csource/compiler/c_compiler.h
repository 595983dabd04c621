// The system's C compiler.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backends/csource/compiler/options.h"

namespace tessera::backend_csource {

/// What generated files include, tessera_csource.h.
llvm::StringRef preludeText();

/// The path of a C compiler; "cc" stands for the first of cc, gcc and clang that there is. Errors
/// (kTargetFailed): there is none.
Result<std::string> findCompiler(const std::string& name);

/// Arguments of the compiler that decide what code it makes, for the options' CPU.
std::vector<std::string> codeFlags(const Options& options);

/// The shared object of one C file. It is made in a folder of its own, which goes again. Errors
/// (kTargetFailed): there is no such compiler; it fails, with its first message.
Result<std::vector<std::byte>> compileC(llvm::StringRef source, const Options& options);

/// Whether the options' header compiles behind the prelude. Errors (kUsage) as above.
Status checkHeader(const Options& options);

/// Leaves the C in the options' folder, if there is one, for people to read and compile.
Status keepSource(llvm::StringRef source, const Options& options);

}  // namespace tessera::backend_csource
