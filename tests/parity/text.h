// Modules in few words.
#pragma once

#include <string>

namespace tessera::tests {

/// A module's text from one in which `$` stands for tensor<4xf32>, and lines without a colon, whose
/// values all have that type, leave out types and dialect:
///   "%0 = add %x, %y" is "%0 = tsr.add %x, %y : ($, $) -> $", "return %0" is "return %0 : $".
std::string expandModule(const std::string& text);

/// The same for the body of a function main with arguments %x, %y, %z and %w of that type.
std::string expandGraph(const std::string& body);

}  // namespace tessera::tests
