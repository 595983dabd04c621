// Who finds out what things cost. Placing needs the times, not how they are taken.
#pragma once

#include <vector>

#include "compiler/costs/record.h"
#include "compiler/ir/tsr.h"
#include "compiler/placement/timing/paired.h"
#include "llvm/ADT/ArrayRef.h"

namespace tessera::placement {

/// Something to be measured: a placed tile, a conversion.
struct Subject {
  std::string name;       ///< Equal for what costs the same: the class of a tile.
  mlir::ModuleOp module;  ///< At phase `partition`; its borders have layouts.
  ir::TargetAttr target;  ///< Whose code it is.
  /// Origins (operator_graph.h) whose values its arguments and results are in a run of the model:
  /// what it runs on, and what must come out.
  llvm::SmallVector<mlir::Value> inputs = {};
  llvm::SmallVector<mlir::Value> outputs = {};
  uint64_t liveBytes = 0;  ///< Of a part: the most that it computes and still needs.
};

/// What came of it.
struct Measurement {
  bool isTaken = true;  ///< False: measuring was stopped before; nothing else counts.
  costs::Outcome outcome = costs::Outcome::kOk;
  std::string reason = {};   ///< Of anything but kOk.
  double seconds = 0;        ///< Of one run, the median; nothing from here on counts but of kOk.
  double low = 0, high = 0;  ///< An interval that holds it.
  double least = 0;          ///< Of the samples: a careful measurement gives hardly less.
  /// The machine was slower than it can be, all along: so may the times be.
  bool isDisturbed = false;
  /// Of whole models: as they were taken, the i-th right before or after the others' i-th.
  std::vector<Turn> turns = {};
  std::vector<double> calls = {};  ///< Of whole models: seconds of each call of a region, in order.
  uint64_t memoryBytes = 0;  ///< That the runtime has for it: arenas, scratch memory of backends.
  std::string key = {};      ///< Of the sub-graph in the cost store; empty: it is in none.
  std::vector<std::string> remarks = {};  ///< What was wrong with the samples, in sentences.
};

/// Times are numbers from 0; what has another one was not measured.
std::vector<Measurement> checkedTimes(std::vector<Measurement> measurements);

/// How much time a measurement is worth.
enum class Effort : uint8_t {
  kGlance,   ///< A few samples to see what is out of the question.
  kCareful,  ///< As many as a narrow interval takes.
  kAgain,    ///< The same whatever is known, with more patience for the machine.
};

class Measurer {
 public:
  virtual ~Measurer() = default;

  /// Whether an answer costs nothing and is always the same: then nothing is worth a glance.
  virtual bool isExact() const { return false; }
  /// One measurement for each subject. Nothing that a subject does fails others.
  virtual std::vector<Measurement> measure(llvm::ArrayRef<Subject> subjects, Effort effort) = 0;
  /// The same of whole models, end to end, in turns: their times can be compared. Rivals that
  /// cannot be the fastest leave early; of others it is known as well what they take.
  virtual std::vector<Measurement> measureWhole(llvm::ArrayRef<Subject> subjects,
                                                bool areRivals) = 0;
  /// Whether it still waits for a machine that is disturbed to come to rest.
  virtual bool isPatient() const { return true; }
  /// Whole models run in other processes from now on, whose memory lies elsewhere.
  virtual void renew() {}
  /// What was wrong with the machine while it did so last, in sentences.
  virtual std::vector<std::string> remarks() const { return {}; }
};

}  // namespace tessera::placement
