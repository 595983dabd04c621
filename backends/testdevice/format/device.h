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
  uint64_t run = 0;  ///< kRun, kHalf: which run of a region fails, counted from 1 by device.
};

inline constexpr std::string_view kNoFault = "none";
inline constexpr std::string_view kFaultsHelp =
    "what fails on purpose: none, query, compile, crash, crash_in_query, crash_in_layouts, "
    "crash_in_passes, crash_in_load, crash_in_run, hang_in_compile, load, memory, run:N, half:N, "
    "hang, wrong, wrong_peer";

/// Nothing for a text that names no fault.
inline std::optional<Fault> parseFault(std::string_view text) {
  using Place = Fault::Place;
  if (text == kNoFault) return Fault{};
  if (text == "query") return Fault{.place = Place::kQuery};
  if (text == "compile") return Fault{.place = Place::kCompile};
  if (text == "crash") return Fault{.place = Place::kCrash};
  if (text == "crash_in_query") return Fault{.place = Place::kCrashInQuery};
  if (text == "crash_in_layouts") return Fault{.place = Place::kCrashInLayouts};
  if (text == "crash_in_passes") return Fault{.place = Place::kCrashInPasses};
  if (text == "crash_in_load") return Fault{.place = Place::kCrashInLoad};
  if (text == "crash_in_run") return Fault{.place = Place::kCrashInRun};
  if (text == "hang_in_compile") return Fault{.place = Place::kHangInCompile};
  if (text == "memory") return Fault{.place = Place::kMemory};
  if (text == "load") return Fault{.place = Place::kLoad};
  if (text == "hang") return Fault{.place = Place::kHang};
  if (text == "wrong") return Fault{.place = Place::kWrong};
  if (text == "wrong_peer") return Fault{.place = Place::kWrongPeer};
  constexpr std::string_view kRun = "run:", kHalf = "half:";
  if (!text.starts_with(kRun) && !text.starts_with(kHalf)) return std::nullopt;
  Fault fault{.place = text.starts_with(kRun) ? Place::kRun : Place::kHalf};
  const size_t at = text.find(':') + 1;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), fault.run);
  const bool isNumber = error == std::errc() && end == text.data() + text.size() && fault.run > 0;
  return isNumber ? std::optional(fault) : std::nullopt;
}

/// The attribute `-memory`: whether values stay in the host's.
inline constexpr std::string_view kOwnMemory = "own", kHostMemory = "host";

}  // namespace tessera::backend_testdevice
