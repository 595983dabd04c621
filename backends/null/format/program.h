// What the two halves share: regions as text, a line for each step, sizes known when compiling.
//
//   program null_0         a region; `traced` instead: one that logs each step when it runs
//   matmul 2 3 4 0 1       of the inputs 0 and 1 computes value 2: [2, 4] from [2, 3] and [3, 4]
//   add 8 1 1 2 2          computes value 3 of 8 elements
//   return 0 0 0 3         the results, in order; the end of the program
#pragma once

namespace tessera::backend_null {

/// What older runtime halves do not read has another version.
inline constexpr const char* kVersion = "2";

inline constexpr const char* kProgramWord = "program";
inline constexpr const char* kTracedWord = "traced";
inline constexpr const char* kReturnWord = "return";

}  // namespace tessera::backend_null
