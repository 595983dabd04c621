// HiGHS, a solver of mixed-integer programs that is there or not: loaded when it is first needed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::placement::search {

/// Variables between 0 and 1 and sums of them.
struct Program {
  struct Term {
    int32_t column = 0;
    double factor = 1;
  };
  static constexpr double kNoLimit = -1e30;  ///< Below this everything is infinite.
  struct Row {
    std::vector<Term> terms = {};
    double least = 0;
    double most = 0;
  };

  std::vector<double> costs = {};  ///< By column.
  size_t numWhole = 0;             ///< So many first columns are 0 or 1, not between.
  std::vector<Row> rows = {};

  int32_t addColumn(double cost);
};

/// What came of a run.
struct ProgramResult {
  bool isInfeasible = false;
  std::vector<double> values = {};  ///< By column; empty: none was found in time.
  double bound = 0;                 ///< No values cost less.
};

struct HighsFunctions;

/// A program that is solved and may then get more rows. One thread, the same result each time
/// unless time is over.
class Highs {
 public:
  /// Loads the library, from the path in TESSERA_HIGHS where that is set, else libhighs.so.1 from
  /// the folder of this library, from where the loader looks, or from where it was when this was
  /// built. Errors (kTargetFailed): it is in none of them or not usable.
  static Result<std::unique_ptr<Highs>> open(const Program& program);
  ~Highs();
  Highs(const Highs&) = delete;
  Highs& operator=(const Highs&) = delete;

  void addRow(const Program::Row& row);
  /// A solution to begin with: the whole columns that are 1. The others follow.
  void startFrom(std::span<const int32_t> ones);
  /// Least cost, up to `gap` times it. Errors (kTargetFailed): the library fails.
  Result<ProgramResult> run(double seconds, double gap);

 private:
  Highs(std::unique_ptr<HighsFunctions> functions, const Program& program);

  std::unique_ptr<HighsFunctions> functions_;
  void* handle_;
  size_t numColumns_;
  size_t numWhole_;
};

}  // namespace tessera::placement::search
