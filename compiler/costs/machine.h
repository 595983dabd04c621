// Which machine a time holds for.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::costs {

/// What times depend on and what can be told of it. Clock speeds of the moment are not in it: they
/// are what drifts.
struct Machine {
  std::string cpu;         ///< "AMD EPYC 9654"; "unknown" where nothing says so.
  std::string features;    ///< Hash of the CPU's feature flags, 8 hexadecimal digits.
  uint32_t cores = 1;      ///< That this process may use.
  std::string policy;      ///< Of the clock: "performance"; "unknown" in most virtual machines.
  uint64_t memoryGib = 0;  ///< Rounded to whole GiB.

  /// "AMD EPYC 9654, features 1f0c77aa, 2 cores, policy unknown, 24 GiB": what keys hold.
  std::string fingerprint() const;
};

/// This machine. `root` stands before /proc and /sys, for tests.
Machine thisMachine(const std::string& root = "");

}  // namespace tessera::costs
