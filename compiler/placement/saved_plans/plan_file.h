// Plans as files that people read and compare: JSON, one line for each fact.
#pragma once

#include "compiler/partition/owner_index.h"
#include "compiler/placement/operator_graph.h"
#include "compiler/placement/plan.h"
#include "tessera/status.h"

namespace tessera::placement {

/// A hash of what the entry function computes: names and locations do not count, constants do.
std::string modelHash(mlir::ModuleOp module);

/// The plan of the winner for the module that `graph` is of, with what was measured on `machine`
/// (costs::Machine::fingerprint). Ends in a new line.
std::string toJson(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                   const FoundPlan& plan, const std::string& machine);

/// The targets that a plan was made for, as the command line takes them. Errors (kInvalidInput): it
/// is no plan, or one of a newer version of Tessera.
Result<std::string> targetsOfPlan(const std::string& text);

/// The tiles of a plan for the model of `graph`, of these owners; nothing where it says that greedy
/// placement won. Errors (kInvalidInput): those of targetsOfPlan, a target that is none of the
/// owners', a plan for another model: names the operators that differ.
Result<std::optional<std::vector<Tile>>> readPlan(const OperatorGraph& graph,
                                                  const partition::OwnerIndex& owners,
                                                  const std::string& text);

/// Of a plan for a model that is no longer quite the same: the tiles all of whose operators are
/// here, once each, by operator and ONNX names, reading what they read in layouts that still fit.
/// Nothing where it says that greedy placement won. Errors (kInvalidInput): those of targetsOfPlan,
/// a target that is none of the owners'.
Result<std::optional<std::vector<Tile>>> readFittingTiles(const OperatorGraph& graph,
                                                          const partition::OwnerIndex& owners,
                                                          const std::string& text);

}  // namespace tessera::placement
