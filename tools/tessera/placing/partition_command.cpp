// tessera partition: placing a model without compiling it.
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/tessera/commands.h"
#include "tools/tessera/model.h"

namespace tessera::cli {

static std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

static void printReport(const std::vector<NodePlacement>& nodes) {
  for (const NodePlacement& node : nodes) {
    std::printf("%-32s %-24s %s\n", node.node.empty() ? "-" : node.node.c_str(),
                node.owner.empty() ? "(host program)" : node.owner.c_str(),
                joined(node.ops).c_str());
    if (!node.willing.empty()) std::printf("    also %s\n", joined(node.willing).c_str());
    for (const NodePlacement::Refusal& refusal : node.refusals)
      std::printf("    not %s: %s\n", refusal.target.c_str(), refusal.reason.c_str());
  }
}

/// How many nodes and regions each owner has.
static void printSummary(const std::vector<NodePlacement>& nodes) {
  std::map<std::string, std::pair<size_t, std::set<std::string>>> owners;
  for (const NodePlacement& node : nodes) {
    if (node.owner.empty()) continue;
    auto& [count, regions] = owners[node.owner];
    ++count;
    regions.insert(node.region);
  }
  for (const auto& [owner, counts] : owners)
    std::printf("%s: %zu nodes in %zu regions\n", owner.c_str(), counts.first,
                counts.second.size());
}

static void printJson(const std::vector<NodePlacement>& nodes) {
  nlohmann::json list = nlohmann::json::array();
  for (const NodePlacement& node : nodes) {
    nlohmann::json refusals = nlohmann::json::array();
    for (const NodePlacement::Refusal& refusal : node.refusals)
      refusals.push_back({{"target", refusal.target}, {"reason", refusal.reason}});
    list.push_back({{"node", node.node},
                    {"ops", node.ops},
                    {"owner", node.owner},
                    {"region", node.region},
                    {"willing", node.willing},
                    {"refusals", std::move(refusals)}});
  }
  std::printf("%s\n", list.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

Result<int> runPartition(const PartitionCommand& command) {
  const std::filesystem::path output(command.output);
  if (!isCompilable(command.model.model))
    return usageError("'" + command.model.model + "' is no .onnx, .mlir or .mlirbc file");
  if (!output.empty() && output.extension() != ".mlir" && output.extension() != ".mlirbc")
    return usageError("-o " + command.output + ", expected a name that ends in .mlir or .mlirbc");
  if (isInterpretedTarget(command.model.targets))
    return usageError("target '" + command.model.targets + "' evaluates modules and owns nothing");
  TESSERA_TRY_VOID(checkOutput(command.output, command.model));
  TESSERA_TRY(CompileOptions options, compileOptions(command.model));
  options.isStrict = command.isStrict;
  TESSERA_TRY(Module module, Module::load(command.model.model, options));
  if (module.phase() > Phase::kPartition)
    return usageError("'" + command.model.model + "' is already partitioned");
  TESSERA_TRY_VOID(module.runTo(Phase::kPartition));
  printNotes(module);
  if (!output.empty())
    TESSERA_TRY_VOID(module.save(command.output, output.extension() == ".mlir"
                                                     ? ModuleFormat::kText
                                                     : ModuleFormat::kBytecode));
  const std::vector<NodePlacement> nodes = module.placement();
  if (command.asJson) {
    printJson(nodes);
    return 0;
  }
  if (command.showReport) printReport(nodes);
  printSummary(nodes);
  return 0;
}

}  // namespace tessera::cli
