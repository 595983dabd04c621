#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "differences.h"
#include "model.h"

namespace tessera::cli {

using nlohmann::json;

static json portsJson(const std::vector<PortInfo>& ports) {
  json list = json::array();
  for (const PortInfo& port : ports)
    list.push_back({{"name", port.name},
                    {"type", elementTypeName(port.type)},
                    {"shape", port.shape},
                    {"dims", port.dimNames}});
  return list;
}

static void printPorts(const char* title, const std::vector<PortInfo>& ports) {
  for (const PortInfo& port : ports) {
    std::string names;
    for (size_t i = 0; i < port.dimNames.size(); ++i) {
      if (!port.dimNames[i].empty()) names += " " + port.dimNames[i] + "=dim " + std::to_string(i);
    }
    std::printf("%-9s %s: %s%s%s\n", title, port.name.c_str(), elementTypeName(port.type),
                shapeText(port.shape).c_str(), names.c_str());
  }
}

/// The regions of a placed module, in the order of their first calls.
static json regionsJson(const std::vector<NodeInfo>& nodes) {
  json list = json::array();
  std::map<std::string, size_t> places;
  for (const NodeInfo& node : nodes) {
    if (node.region == "main" || node.owner.empty()) continue;
    const auto [place, isNew] = places.try_emplace(node.region, list.size());
    if (isNew)
      list.push_back({{"name", node.region},
                      {"backend", node.owner.substr(0, node.owner.find_first_of(" :"))},
                      {"target", node.owner},
                      {"calls", node.calls},
                      {"ops", ""},
                      {"flops", 0}});
    json& region = list[place->second];
    region["ops"] = region["ops"].get<std::string>() + (isNew ? "" : "+") + node.op;
    // What one operator computes is known at run time only: so is what all do.
    if (node.flops < 0) region["flops"] = nullptr;
    if (!region["flops"].is_null()) region["flops"] = region["flops"].get<int64_t>() + node.flops;
  }
  return list;
}

static Result<int> inspectModule(const InspectCommand& command) {
  TESSERA_TRY(const CompileOptions options, compileOptions(command.model));
  TESSERA_TRY(const Module module, Module::load(command.model.model, options));
  std::map<std::string, int> operators, owners;
  const std::vector<NodeInfo> nodes = module.nodes();
  for (const NodeInfo& node : nodes) {
    ++operators[node.op];
    if (!node.owner.empty()) ++owners[node.owner];
  }
  if (command.asJson) {
    const json result = {{"phase", phaseName(module.phase())},
                         {"inputs", portsJson(module.inputs())},
                         {"operators", operators},
                         {"outputs", portsJson(module.outputs())},
                         {"owners", owners},
                         {"regions", regionsJson(nodes)}};
    std::printf("%s\n", result.dump(2, ' ', false, json::error_handler_t::replace).c_str());
    return 0;
  }
  std::printf("module at phase %s\n", std::string(phaseName(module.phase())).c_str());
  printPorts("input", module.inputs());
  printPorts("output", module.outputs());
  for (const auto& [name, count] : operators) std::printf("%6d  %s\n", count, name.c_str());
  for (const auto& [name, count] : owners)
    std::printf("%6d operators owned by %s\n", count, name.c_str());
  return 0;
}

static json memorySpacesJson(const tessera_executable_info& info) {
  json list = json::array();
  for (uint32_t i = 0; i < info.num_memory_spaces; ++i)
    list.push_back({{"name", info.memory_spaces[i]->name},
                    {"arena_bytes", info.memory_spaces[i]->arena_bytes}});
  return list;
}

static json artifactJson(const tessera_executable_info& info) {
  json features = json::array();
  for (uint32_t i = 0; i < info.num_cpu_features; ++i) features.push_back(info.cpu_features[i]);
  json regions = json::array();
  uint64_t flops = 0;
  uint64_t remarkedFlops = 0;
  uint32_t numOpen = 0, numRemarked = 0;
  for (uint32_t i = 0; i < info.num_regions; ++i) {
    const tessera_region_info& region = *info.regions[i];
    json nodes = json::array();
    for (uint32_t n = 0; n < region.num_nodes; ++n) nodes.push_back(region.node_names[n]);
    json fields = json::object();
    for (uint32_t f = 0; f < region.num_fields; ++f)
      fields[region.fields[f]->key] = region.fields[f]->value;
    const bool isOpen = fields.value("numOpenOperators", "0") != "0";
    regions.push_back({{"name", region.name},
                       {"backend", region.backend},
                       {"target", region.target},
                       {"fields", fields},
                       {"ops", region.op_kinds},
                       {"nodes", nodes},
                       {"flops", isOpen ? json() : json(region.flops)},
                       {"bytes", region.bytes},
                       {"implementations", region.num_implementations}});
    flops += region.flops;
    if (isOpen) ++numOpen;
    if (fields.value("remark", "").empty()) continue;
    ++numRemarked;
    remarkedFlops += region.flops;
  }
  return {{"producer", info.producer},
          {"model", info.model_name},
          {"target", info.target},
          {"cpu_features", features},
          {"inputs", portsJson(inputPorts(info))},
          {"outputs", portsJson(outputPorts(info))},
          {"constants", info.num_constants},
          {"weights_bytes", info.constant_bytes},
          {"code_bytes", info.code_bytes},
          {"flops", flops},
          {"remarked_flops", remarkedFlops},
          {"remarked_regions", numRemarked},
          {"open_regions", numOpen},
          {"arena_bytes", info.arena_bytes},
          {"lower_bound_bytes", info.lower_bound_bytes},
          {"memory_spaces", memorySpacesJson(info)},
          {"instructions", info.num_instructions},
          {"is_static", info.is_static != 0},
          {"run_time_sized_buffers", info.num_run_time_sized_buffers},
          {"regions", regions}};
}

static void printMemory(const tessera_executable_info& info) {
  std::printf("memory    arena %.2f MiB, lower bound %.2f MiB\n",
              static_cast<double>(info.arena_bytes) / (1 << 20),
              static_cast<double>(info.lower_bound_bytes) / (1 << 20));
  for (uint32_t i = 0; i < info.num_memory_spaces && info.num_memory_spaces > 1; ++i)
    std::printf("          %.2f MiB of it in %s\n",
                static_cast<double>(info.memory_spaces[i]->arena_bytes) / (1 << 20),
                info.memory_spaces[i]->name);
  if (info.num_run_time_sized_buffers == 0) return;
  std::printf("          %u buffer%s sized at run time, beside the plan\n",
              info.num_run_time_sized_buffers,
              info.num_run_time_sized_buffers == 1 ? " is" : "s are");
}

static Result<int> inspectArtifact(const InspectCommand& command) {
  // Nothing of it is executed, and it need not be made for this machine.
  TESSERA_TRY(const Executable executable,
              Executable::loadFile(command.model.model, {.inspectOnly = true}));
  if (command.verify) {
    if (Status status = executable.verify(); !status) {
      status.error().file = command.model.model;
      return status.error();
    }
  }
  const tessera_executable_info& info = executable.info();
  const json all = artifactJson(info);
  if (command.asJson) {
    std::printf("%s\n", all.dump(2, ' ', false, json::error_handler_t::replace).c_str());
    return 0;
  }
  std::printf("%s, made by %s for %s\n", info.model_name, info.producer, info.target);
  printPorts("input", inputPorts(info));
  printPorts("output", outputPorts(info));
  std::string features;
  for (const json& feature : all["cpu_features"]) features += " " + feature.get<std::string>();
  std::printf("needs    %s\n", features.empty() ? " no particular CPU feature" : features.c_str());
  std::printf("weights   %u constants, %.2f MiB\n", info.num_constants,
              static_cast<double>(info.constant_bytes) / (1 << 20));
  std::printf("code      %u regions, %.1f KiB\n", info.num_regions,
              static_cast<double>(info.code_bytes) / 1024);
  printMemory(info);
  std::printf("work      %.2f MFLOP, %.2f of them in regions with a remark\n",
              1e-6 * all["flops"].get<double>(), 1e-6 * all["remarked_flops"].get<double>());
  if (const auto numOpen = all["open_regions"].get<uint32_t>(); numOpen > 0)
    std::printf("          and what %u region%s is known at run time only\n", numOpen,
                numOpen == 1 ? " computes" : "s compute");
  for (const json& region : all["regions"]) {
    if (const std::string remark = region["fields"].value("remark", ""); !remark.empty())
      std::printf("remark    %s (%s): %s\n", region["name"].get<std::string>().c_str(),
                  region["ops"].get<std::string>().c_str(), remark.c_str());
  }
  if (command.verify) std::printf("checksums of all blobs hold\n");
  if (!command.showRegions) return 0;
  for (const json& region : all["regions"]) {
    std::string nodes;
    for (const json& node : region["nodes"]) nodes += " " + node.get<std::string>();
    std::printf("  %-14s %-32s%s\n", region["name"].get<std::string>().c_str(),
                region["ops"].get<std::string>().c_str(), nodes.c_str());
  }
  return 0;
}

Result<int> runInspect(const InspectCommand& command) {
  return isCompilable(command.model.model) ? inspectModule(command) : inspectArtifact(command);
}

static int printOnnxOperators(bool asJson) {
  const std::vector<std::string> names = onnxOperators();
  if (asJson) std::printf("%s\n", json(names).dump(2).c_str());
  for (const std::string& name : names) {
    if (!asJson) std::printf("%s\n", name.c_str());
  }
  return 0;
}

Result<int> runBackends(const BackendsCommand& command) {
  if (command.showOnnxOperators) return printOnnxOperators(command.asJson);
  json list = json::array();
  TESSERA_TRY(const std::shared_ptr<Session> session,
              Session::create({.plugins = command.plugins}));
  for (const BackendInfo& backend : session->backends()) {
    json attributes = json::array();
    for (const BackendInfo::Attribute& attribute : backend.attributes)
      attributes.push_back({{"name", attribute.name},
                            {"type", attribute.type},
                            {"default", attribute.defaultValue},
                            {"help", attribute.help}});
    list.push_back({{"name", backend.name},
                    {"version", backend.version},
                    {"host", backend.isHost},
                    {"test", backend.isTest},
                    {"missing", backend.whyMissing},
                    {"library", backend.library},
                    {"attributes", attributes},
                    {"operators", backend.operators},
                    {"patterns", backend.patterns},
                    {"memory_spaces", backend.memorySpaces},
                    {"onnx_operators", backend.onnxOperators}});
    if (command.asJson) continue;
    if (!backend.whyMissing.empty()) {
      std::printf("%s is not in this build: %s\n", backend.name.c_str(),
                  backend.whyMissing.c_str());
      continue;
    }
    std::printf("%s %s%s%s\n", backend.name.c_str(), backend.version.c_str(),
                backend.isHost ? " (host: takes what nobody else takes)" : "",
                backend.isTest ? " (for tests of the compiler)" : "");
    if (!backend.library.empty()) std::printf("  of %s\n", backend.library.c_str());
    for (const std::string& space : backend.memorySpaces)
      std::printf("  memory space %s\n", space.c_str());
    for (const BackendInfo::Attribute& attribute : backend.attributes)
      std::printf("  -%s=%s  (%s) %s\n", attribute.name.c_str(), attribute.defaultValue.c_str(),
                  attribute.type.c_str(), attribute.help.c_str());
    for (const std::string& op : backend.operators) {
      if (command.showOperators) std::printf("  %s\n", op.c_str());
    }
    for (const std::string& pattern : backend.patterns) {
      if (command.showOperators) std::printf("  pattern %s\n", pattern.c_str());
    }
  }
  if (command.asJson)
    std::printf("%s\n", list.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  return 0;
}

}  // namespace tessera::cli
