// What the scenario tests share: modules placed over mocks, and the values that they compute.
#pragma once

#include "compiler/partition/test/placement_for_test.h"
#include "reference/tensor.h"
#include "tests/parity/plan.h"
#include "tests/parity/text.h"

namespace tessera::tests {

using backend_api::Mock;
using partition::merging;
using partition::only;
using partition::Texts;

/// Takes every operator but these.
std::function<backend_api::Support(mlir::Operation*)> allBut(std::vector<std::string> names);

/// "fast", which merges what it owns, and "host", which takes the rest.
std::vector<Mock> fastBesideHost(std::function<backend_api::Support(mlir::Operation*)> supports,
                                 backend_api::PatternTable patterns = {});

/// The same, but "host" takes no control flow: the host program runs it, and its bodies are placed.
std::vector<Mock> fastBesidePlainHost(std::vector<std::string> names,
                                      backend_api::PatternTable patterns = {});

class ParityTest : public partition::PlacementTest {
 protected:
  /// Parses the body of a function main (expandGraph), or a module (expandModule).
  void graph(const std::string& body) { load(expandGraph(body)); }
  void module(const std::string& text) { load(expandModule(text)); }

  /// Runs the passes from marks and patterns to the functions of regions, those alone that the
  /// scenario is about: no layouts, no fusion, so that what no merging owner takes stays where it
  /// is. Then checks that the module is valid and still computes what it did.
  void partitioned(const std::string& bindConstants = "rules");
  /// Runs these passes, then checks the same.
  void runPasses(llvm::function_ref<void(mlir::OpPassManager&)> add);
  /// The whole phase, as the compiler runs it, then checks the same.
  void placed();

  /// The module as it was loaded and as it is now, run by the interpreter on equal random inputs,
  /// booleans once true and once false, unknown sizes 3: equal bit by bit.
  void expectEqualValues();
  /// What main gives: one list of numbers for each result, floats only.
  std::vector<std::vector<float>> values();

  Texts plan(llvm::StringRef function = "main") { return planOf(*module_, function); }
  mlir::func::FuncOp region(llvm::StringRef name) {
    return module_->lookupSymbol<mlir::func::FuncOp>(name);
  }

  mlir::OwningOpRef<mlir::ModuleOp> module_;

 private:
  void load(const std::string& text);

  mlir::OwningOpRef<mlir::ModuleOp> original_;
};

}  // namespace tessera::tests
