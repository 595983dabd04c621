#include "trace.h"

#include <map>
#include <nlohmann/json.hpp>

#include "json_file.h"

namespace tessera::cli {

using nlohmann::json;

static constexpr int kTracedRuns = 5;
static constexpr int kProcess = 1;

namespace {

/// Events of the format (Google, "Trace Event Format"), of one process; a device is a thread of it.
class Timeline {
 public:
  explicit Timeline(const Executable& executable) : info_(executable.info()) {}

  void add(const tessera_trace_event& event, uint64_t startNs) {
    // A device's clock is its own affair: what it says may lie before the first event.
    const auto microseconds = [](uint64_t from, uint64_t to) {
      return to > from ? static_cast<double>(to - from) / 1e3 : 0.0;
    };
    events_.push_back({{"ph", "X"},
                       {"pid", kProcess},
                       {"tid", track(event.device != nullptr ? event.device : "host program")},
                       {"ts", microseconds(startNs, event.begin_ns)},
                       {"dur", microseconds(event.begin_ns, event.end_ns)},
                       {"name", nameOf(event)},
                       {"cat", event.kind == TESSERA_TRACE_CALL ? "region" : "copy"},
                       {"args", argumentsOf(event)}});
  }

  json finish() && {
    for (const auto& [name, number] : tracks_) {
      events_.push_back({{"ph", "M"},
                         {"pid", kProcess},
                         {"tid", number},
                         {"name", "thread_name"},
                         {"args", {{"name", name}}}});
    }
    return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events_)}};
  }

 private:
  int track(const std::string& device) {
    return tracks_.try_emplace(device, static_cast<int>(tracks_.size()) + 1).first->second;
  }

  std::string nameOf(const tessera_trace_event& event) const {
    return event.kind == TESSERA_TRACE_CALL ? info_.regions[event.region]->name : "copy";
  }

  json argumentsOf(const tessera_trace_event& event) const {
    json arguments = {{"instruction", event.instruction}};
    if (event.kind != TESSERA_TRACE_CALL) {
      if (event.bytes != 0) arguments["bytes"] = event.bytes;
      return arguments;
    }
    const tessera_region_info& region = *info_.regions[event.region];
    arguments["target"] = region.target;
    arguments["operators"] = region.op_kinds;
    arguments["flops"] = region.flops;
    arguments["bytes"] = region.bytes;
    for (uint32_t i = 0; i < region.num_nodes; ++i)
      arguments["nodes"].push_back(region.node_names[i]);
    return arguments;
  }

  const tessera_executable_info& info_;
  std::map<std::string, int> tracks_ = {{"host program", 1}};
  json events_ = json::array();
};

}  // namespace

Status recordTrace(const Executable& executable, Context& context, const std::string& path) {
  TESSERA_TRY_VOID(context.setTracing(true));
  for (int i = 0; i < kTracedRuns; ++i) TESSERA_TRY_VOID(context.run());
  TESSERA_TRY_VOID(context.setTracing(false));
  Timeline timeline(executable);
  const auto events = context.trace();
  for (const tessera_trace_event& event : events) timeline.add(event, events[0].begin_ns);
  return writeJson(path, std::move(timeline).finish());
}

}  // namespace tessera::cli
