#include "runtime/backend/runtime_half.h"

#include <algorithm>
#include <cstring>

#include "base/version.h"

namespace tessera::runtime {
namespace {

bool isComplete(const tessera_backend_runtime& table) {
  const bool hasBasics = table.name != nullptr && table.version != nullptr &&
                         table.create != nullptr && table.destroy != nullptr &&
                         table.find_symbol != nullptr && table.run != nullptr;
  const bool hasDevices = (table.device_create == nullptr) == (table.device_destroy == nullptr);
  const bool hasStates = (table.prepare == nullptr) == (table.release == nullptr);
  const bool hasSpaces =
      table.find_space == nullptr || (table.space_alloc != nullptr && table.space_free != nullptr &&
                                      table.copy_in != nullptr && table.copy_out != nullptr);
  const bool hasEvents = table.event_create == nullptr ||
                         (table.event_destroy != nullptr && table.event_record != nullptr &&
                          table.event_wait != nullptr && table.event_query != nullptr);
  return hasBasics && hasDevices && hasStates && hasSpaces && hasEvents;
}

/// The fields that lie within the size that the half tells: pointers, and numbers in pairs.
tessera_backend_runtime knownPart(const tessera_backend_runtime& given) {
  tessera_backend_runtime table = {};
  const size_t known = std::min<size_t>(given.size, sizeof(table));
  std::memcpy(&table, &given, known / sizeof(void*) * sizeof(void*));
  return table;
}

}  // namespace

Outcome acceptHalf(const tessera_backend_runtime& given, const std::string& kind,
                   const artifact::BackendNeed* need, const std::string& from,
                   std::unique_ptr<Half>& half) {
  constexpr uint32_t kOurs = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  const auto refuse = [&](const std::string& what) {
    return failure(TESSERA_ERROR_BACKEND, "backend '" + kind + "' " + from + " " + what);
  };
  const tessera_backend_runtime table = knownPart(given);
  const uint32_t least = table.least_abi_version != 0 ? table.least_abi_version : table.abi_version;
  if (least > kOurs) {
    return refuse("has ABI version " + std::to_string(table.abi_version) +
                  " and needs a runtime of version " + std::to_string(least) +
                  " or later, this one has version " + std::to_string(kOurs));
  }
  if (table.abi_version == 0 || !isComplete(table))
    return refuse("lacks functions that are not optional");
  if (kind != table.name) return refuse(std::string("calls itself '") + table.name + "'");
  const uint32_t common = std::min(table.abi_version, kOurs);
  if (need != nullptr && need->leastAbi > common) {
    return refuse("has ABI version " + std::to_string(table.abi_version) + ", this runtime " +
                  std::to_string(kOurs) + ", and the artifact needs version " +
                  std::to_string(need->leastAbi) + " or later of both");
  }
  if (need != nullptr && base::isOlderVersion(table.version, need->leastVersion)) {
    return refuse(std::string("has version ") + table.version + ", the artifact needs " +
                  need->leastVersion + " or later");
  }
  half = std::make_unique<Half>(Half{.given = &given, .table = table});
  return {};
}

}  // namespace tessera::runtime
