// What the two halves share: regions as text, a line for each step, sizes known when compiling.
//
//   program null_0 2       a region and how many inputs it has: values 0 and 1
//   matmul 2 3 4 0 1       computes value 2: [2, 4] from [2, 3] and [3, 4]
//   add 2 4 1 2 2          computes value 3: as many elements as the three numbers' product says
//   return 3               the results, in order; the end of the program
#pragma once

namespace tessera::backend_null {

/// What older runtime halves do not read has another version.
inline constexpr const char* kVersion = "1";

inline constexpr const char* kProgramWord = "program";
inline constexpr const char* kReturnWord = "return";

}  // namespace tessera::backend_null
