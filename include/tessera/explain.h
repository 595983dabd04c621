// Why a plan is as it is, from the plan alone: neither the model nor the machine is needed.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/export.h"
#include "tessera/status.h"

namespace tessera {

enum class ExplanationFormat : uint8_t {
  kText,  ///< For a terminal.
  kJson,  ///< All that the others are made of.
  kDot,   ///< The parts and what flows between them, coloured by target, for Graphviz.
  kHtml,  ///< One page that needs no network: graph, table, timeline, reasons.
};

struct ExplanationOptions {
  ExplanationFormat format = ExplanationFormat::kText;
  /// An ONNX node, or the number that the plan has for an operator: what every target says about
  /// it, as kText or kJson. Empty: the plan as a whole.
  std::string node;
  std::string title;  ///< What the page is about: the model's name.
};

/// `plan` is what Module::plan or Module::greedyPlan gave. Plans of earlier versions of Tessera
/// lack answers: what they have is explained. Errors: kInvalidInput, it is no plan; kUsage, there
/// is no such node (names those there are), or a node in a format for whole plans.
TESSERA_API Result<std::string> explainPlan(const std::string& plan,
                                            const ExplanationOptions& options);

}  // namespace tessera
