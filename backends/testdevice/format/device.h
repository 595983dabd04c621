// What the two halves agree on: devices, their memory spaces, and faults on purpose.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::backend_testdevice {

/// What older runtime halves do not read has another version.
inline constexpr const char* kVersion = "1";

inline constexpr uint32_t kNumDevices = 2;

/// The name of the memory of device `number`.
inline std::string spaceOfDevice(uint32_t number) { return "testdevice:" + std::to_string(number); }

/// What goes wrong on purpose, and where: the attribute `-fail`.
struct Fault {
  enum class Place : uint8_t {
    kNowhere,
    kQuery,
    kCrashInQuery,
    kCrashInLayouts,
    kCompile,
    kLoad,
    kRun,
    kHalf,
    kHang,
    kWrong,
    kWrongPeer,
    kCrash,
    kCrashInPasses,
    kHangInCompile,
    kCrashInLoad,
    kCrashInRun,
    kMemory,
  };
  Place place = Place::kNowhere;
  /// kRun, kHalf: which run of a region fails; kWrong, kCrashInRun, kHang: from which one on they
  /// do. Counted from 1 by device.
  uint64_t run = 1;
};

inline constexpr std::string_view kNoFault = "none";
inline constexpr std::string_view kFaultsHelp =
    "what fails on purpose: none, query, compile, crash, crash_in_query, crash_in_layouts, "
    "crash_in_passes, crash_in_load, crash_in_run[:N], hang_in_compile, load, memory, run:N, "
    "half:N, "
    "hang[:N], wrong[:N], wrong_peer";

/// Nothing for a text that names no fault.
inline std::optional<Fault> parseFault(std::string_view text) {
  using Place = Fault::Place;
  enum class Run : uint8_t { kNone, kMay, kMust };
  struct Name {
    std::string_view text;
    Place place;
    Run run = Run::kNone;
  };
  constexpr Name kNames[] = {{kNoFault, Place::kNowhere},
                             {"query", Place::kQuery},
                             {"compile", Place::kCompile},
                             {"crash", Place::kCrash},
                             {"crash_in_query", Place::kCrashInQuery},
                             {"crash_in_layouts", Place::kCrashInLayouts},
                             {"crash_in_passes", Place::kCrashInPasses},
                             {"crash_in_load", Place::kCrashInLoad},
                             {"crash_in_run", Place::kCrashInRun, Run::kMay},
                             {"hang_in_compile", Place::kHangInCompile},
                             {"memory", Place::kMemory},
                             {"load", Place::kLoad},
                             {"run", Place::kRun, Run::kMust},
                             {"half", Place::kHalf, Run::kMust},
                             {"hang", Place::kHang, Run::kMay},
                             {"wrong", Place::kWrong, Run::kMay},
                             {"wrong_peer", Place::kWrongPeer}};
  const size_t at = text.find(':');
  const bool hasRun = at != std::string_view::npos;
  for (const Name& name : kNames) {
    if (name.text != text.substr(0, at)) continue;
    if (name.run == Run::kMust ? !hasRun : hasRun && name.run == Run::kNone) return std::nullopt;
    Fault fault{.place = name.place};
    if (!hasRun) return fault;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + at + 1, last, fault.run);
    return error == std::errc() && end == last && fault.run > 0 ? std::optional(fault)
                                                                : std::nullopt;
  }
  return std::nullopt;
}

/// The attribute `-memory`: whether values stay in the host's.
inline constexpr std::string_view kOwnMemory = "own", kHostMemory = "host";

}  // namespace tessera::backend_testdevice
