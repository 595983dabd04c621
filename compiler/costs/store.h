// Where measurements are kept: records are added and never changed, so that stores can be merged
// and nobody who writes at the same time loses anything.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/costs/record.h"

namespace tessera::costs {

/// Which records: those that agree in all that is given.
struct Selection {
  std::string target = {};             ///< A kind or a whole target; empty: all.
  std::string machine = {};            ///< Empty: all.
  std::optional<int64_t> before = {};  ///< Seconds since 1970: older ones only; none: all.
  std::string subgraph = {};           ///< Empty: all.
};

/// A store. From one thread at a time; other processes may use the same one. Errors of all
/// functions: kInvalidInput, with the store's name, for what the engine says.
class Store {
 public:
  virtual ~Store() = default;

  /// The records of a key, oldest first.
  virtual Result<std::vector<Record>> find(const Key& key) = 0;
  /// Adds records, all or none; those that are there already are left out. Gives how many were new.
  virtual Result<size_t> add(const std::vector<Record>& records) = 0;
  /// Every record that is selected, oldest first; ends at the first `visit` that fails.
  virtual Status forEach(const Selection& selection,
                         const std::function<Status(const Record&)>& visit) = 0;
  /// Removes what is selected; gives how many there were.
  virtual Result<size_t> remove(const Selection& selection) = 0;
  /// Of its tables.
  virtual int64_t schemaVersion() const = 0;
};

/// What becomes of a store that is not there.
enum class WhenMissing : uint8_t {
  kMake,  ///< With the folders above it.
  kRefuse,
};

/// A SQLite file. Errors (kInvalidInput): it cannot be opened or made, is not there, is no cost
/// store, is damaged, or of a newer version of Tessera.
Result<std::unique_ptr<Store>> openSqliteStore(const std::string& path,
                                               WhenMissing whenMissing = WhenMissing::kMake);

/// A path for a store that ends with the process.
inline constexpr const char* kStoreInMemory = ":memory:";

/// `~/.cache/tessera/costs.db`, below XDG_CACHE_HOME where that is set.
std::string defaultStorePath();

}  // namespace tessera::costs
