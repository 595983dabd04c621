// Cost stores: what was measured, kept from run to run. Looking at one, and moving measurements
// from one to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/export.h"
#include "tessera/status.h"

namespace tessera {

// `store` is everywhere the name of a file; empty: defaultCostStore(). Other processes may read and
// write it meanwhile. Errors of all functions, with the file's name: kInvalidInput, a store that is
// damaged, another program's or a newer Tessera's, or a file that is missing or cannot be read or
// written, a full disk included; kUsage, an address ("postgresql://...") in place of a file.

/// `~/.cache/tessera/costs.db`, below XDG_CACHE_HOME where that is set.
TESSERA_API std::string defaultCostStore();

/// What a store holds.
struct CostStatistics {
  /// How often something came of a measurement, by name: "ok", "declined", "failed", "crashed",
  /// "timed_out", "wrong".
  using Outcomes = std::vector<std::pair<std::string, size_t>>;
  struct Target {
    std::string target;  ///< With its attributes.
    Outcomes outcomes;   ///< Those that occur.
  };
  struct Machine {
    std::string fingerprint;
    size_t numRecords = 0;
  };
  std::string store = {};     ///< The file.
  int64_t schemaVersion = 0;  ///< Of its tables.
  uint64_t sizeBytes = 0;     ///< Of the file and of the journal beside it.
  size_t numRecords = 0;
  size_t numKeys = 0;                  ///< Different things that were measured.
  int64_t oldest = 0;                  ///< Seconds since 1970, UTC; 0 without records.
  int64_t newest = 0;                  ///< As `oldest`.
  std::vector<Target> targets = {};    ///< By name.
  std::vector<Machine> machines = {};  ///< By name.
};
TESSERA_API Result<CostStatistics> describeCosts(const std::string& store);

/// Every record as one line of JSON without its end, oldest first; ends at the first `visit` that
/// fails. Lines go into a store by importCosts.
TESSERA_API Status visitCosts(const std::string& store,
                              const std::function<Status(std::string_view line)>& visit);
/// The same lines in a file, which appears complete or not at all; gives how many there are.
/// Errors, too: kUsage, `file` is the store.
TESSERA_API Result<size_t> exportCosts(const std::string& store, const std::string& file);

/// What came of adding records: those that a store has already are not added again.
struct CostsAdded {
  size_t numRecords = 0;
  size_t numNew = 0;
};
/// Adds the records of a file of lines, all or none; the store is made when it is missing. Empty
/// lines and unknown fields are ignored. Errors, too: kInvalidInput with the line's number
/// ("costs.jsonl:3"), no JSON, a field that is missing or of another type.
TESSERA_API Result<CostsAdded> importCosts(const std::string& store, const std::string& file);
/// Adds the records of other stores, all or none; the store is made when it is missing.
TESSERA_API Result<CostsAdded> mergeCosts(const std::string& store,
                                          const std::vector<std::string>& sources);

/// Which records: those that agree in all that is given.
struct CostSelection {
  std::string target = {};   ///< A kind, or a whole target with its attributes; empty: all.
  std::string machine = {};  ///< A fingerprint; empty: all.
  std::optional<int64_t> before = {};  ///< Seconds since 1970, UTC: older ones only.
};
/// Removes records; gives how many there were. The file keeps its size, and the room is used again.
TESSERA_API Result<size_t> pruneCosts(const std::string& store, const CostSelection& selection);

}  // namespace tessera
