#include "compiler/costs/machine.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "base/content_hash.h"

namespace tessera::costs {

/// What stands behind "name" and a colon in the first line of a file that begins with it.
static std::string fieldOf(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const size_t colon = line.find(':');
    const size_t start =
        colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return {};
}

/// The order in which a kernel lists them says nothing.
static std::string hashOfWords(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  std::ranges::sort(words);
  std::string sorted;
  for (const std::string& word : words) sorted += word + " ";
  return base::contentHash(sorted).substr(0, 8);
}

static uint32_t usableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
    return static_cast<uint32_t>(CPU_COUNT(&cores));
  return std::max(std::thread::hardware_concurrency(), 1U);
}

static std::string orUnknown(std::string text) { return text.empty() ? "unknown" : text; }

Machine thisMachine(const std::string& root) {
  const std::string cpuinfo = root + "/proc/cpuinfo";
  std::string flags = fieldOf(cpuinfo, "flags");
  if (flags.empty()) flags = fieldOf(cpuinfo, "Features");  // ARM's name.
  Machine machine;
  machine.cpu = orUnknown(fieldOf(cpuinfo, "model name"));
  machine.features = hashOfWords(flags);
  machine.cores = usableCores();
  std::ifstream governor(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::getline(governor, machine.policy);
  machine.policy = orUnknown(machine.policy);
  std::istringstream memory(fieldOf(root + "/proc/meminfo", "MemTotal"));
  uint64_t kib = 0;
  memory >> kib;
  machine.memoryGib = (kib + (1 << 19)) >> 20;
  return machine;
}

std::string Machine::fingerprint() const {
  return cpu + ", features " + features + ", " + std::to_string(cores) +
         (cores == 1 ? " core" : " cores") + ", policy " + policy + ", " +
         std::to_string(memoryGib) + " GiB";
}

}  // namespace tessera::costs
