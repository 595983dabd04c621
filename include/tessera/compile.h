// The compiler as a library: load a model, run the phases, look at the result, get an artifact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/element_type.h"
#include "tessera/export.h"
#include "tessera/phase.h"
#include "tessera/status.h"
#include "tessera/tensor_io.h"

namespace tessera {

/// How far long work has come; `total` may grow. Called from any thread, one call at a time.
using ProgressCallback = std::function<void(const std::string& what, size_t done, size_t total)>;

/// A target kind that this compiler knows.
struct BackendInfo {
  struct Attribute {
    std::string name;
    std::string type;  ///< "string", "bool", "int", "float" or "enum: a|b".
    std::string defaultValue, help;
  };
  std::string name;
  std::string version;
  bool isHost = false;
  bool isTest = false;  ///< Exists to test the compiler.
  std::vector<Attribute> attributes;
  std::vector<std::string> operators;      ///< Operators it takes for some types.
  std::vector<std::string> patterns;       ///< Names in its pattern table, by default attributes.
  std::vector<std::string> onnxOperators;  ///< Those of them that ONNX has, by ONNX's names.
  std::vector<std::string> memorySpaces;   ///< Of regions' arguments, beside the host's memory.
  std::string whyMissing;                  ///< Why this build lacks it; empty when it is there.
  std::string library;  ///< The plugin that it comes from; empty when it is built in.
};

struct SessionOptions {
  /// Libraries of backends (tessera/backend_compile.h), which come before those of
  /// TESSERA_PLUGIN_PATH.
  std::vector<std::string> plugins;
  /// Passes and code generation of the built-in backends run in processes of their own, too: one
  /// that crashes or hangs is a refusal. Costs a copy of what they compile.
  bool isIsolated = false;
};

/// What compilations share: the backends, and code that they compiled earlier. Thread-safe.
class TESSERA_API Session {
 public:
  /// With the built-in backends and the plugins (tessera/backend_compile.h) in the folders of
  /// TESSERA_PLUGIN_PATH, files libtessera_compile_<kind>.so; backends() names those that cannot be
  /// loaded. Each plugin runs in a process of its own, `tessera worker`.
  Session();
  /// Errors (kInvalidInput) name the file: it is no plugin, its kind is another backend's.
  static Result<std::shared_ptr<Session>> create(const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Its backends, those that this build lacks, and the interpreter, by name.
  std::vector<BackendInfo> backends() const;

 private:
  friend class Module;
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What a part of a model finds in the caches when placement "measured" times it.
enum class WeightCaching : uint8_t {
  kAsInModel,  ///< Its weights, when those of the whole model fit there. Always: what it reads.
  kCold,       ///< Not its weights.
  kWarm,       ///< Its weights.
};

/// What placement "measured" looks for.
enum class PlacementObjective : uint8_t {
  kLatency,
  /// The plan that takes the least memory beside its weights, of those that are slower than the
  /// fastest by no more than `latencyBound`.
  kMemory,
};

/// How placement "measured" searches.
struct PlacementSearch {
  PlacementObjective objective = PlacementObjective::kLatency;
  double latencyBound = 1.1;  ///< 1.1: a tenth slower.
  WeightCaching weights = WeightCaching::kAsInModel;
  /// Most of them go to measuring parts, the rest to runs of whole plans; 0: as long as it takes.
  double budgetSeconds = 0;
  /// Seconds that measuring waits, all in all, for a machine that others disturb to be calm. After
  /// that what was taken counts as it is.
  double patienceSeconds = 30;
  /// So many plans drawn at random run beside the best, to judge predictions by. Nothing that was
  /// decided before counts then.
  uint32_t numRandomPlans = 0;
  /// What was measured is to be kept: it is an error that the cost store cannot be written, and no
  /// note.
  bool mustKeep = false;
  /// True: the best plan that follows from what is measured counts. Asked now and then, from the
  /// compiling thread; may be empty.
  std::function<bool()> isStopped = {};
};

struct CompileOptions {
  /// Owned together by the caller and the modules loaded with it. Null: one of its own.
  std::shared_ptr<Session> session;
  /// Targets, most preferred first, as on the command line: "native -mcpu=x86-64-v3". The host
  /// target is appended when it is not among them. Empty: what the module itself says, else the
  /// host target.
  std::string targets;
  /// How owners are chosen; "greedy": the first target that supports an operator; "measured": the
  /// fastest plan that a search over what was measured on this machine finds, over all backends
  /// unless `targets` says which.
  std::string placement = "greedy";
  /// A file with what Module::plan gave: who runs what, without measuring. Targets are the plan's
  /// unless `targets` says others.
  std::string plan;
  /// Of a plan for a model that is no longer quite the same, what fits counts: tiles whose
  /// operators are all there by their names. Greedy placement decides about the rest. Else it is an
  /// error.
  bool isPlanPartial = false;
  /// The file of a cost store (tessera/costs.h); empty: the user's own. Placement "measured" keeps
  /// there what it measures, and what `tessera tune` learnt there about schedules of regions
  /// counts. ":memory:": an empty one, which ends with the process. "mock:FILE": nothing is
  /// measured, things cost what the file says (docs/placement.md).
  std::string costs;
  PlacementSearch search;
  /// Shapes of inputs, -1 for a dimension left open; sizes of named dimensions.
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  std::vector<std::pair<std::string, int64_t>> dims;
  /// Threads that the artifact uses by default; 0: all cores of the machine that runs it.
  uint32_t threads = 0;
  /// Whatever of the model is not the host target's can be run by that as well: where the code of
  /// another target does not load or run on some machine, or fails in the midst of a run, the
  /// answer is right all the same, only later. Code of the host target for all of it is a part of
  /// the artifact then. Not for a target that crashes or hangs: it runs in the caller's process.
  bool hasFallback = false;
  /// A file of rules about who runs what, JSON, the first that fits an operator counts:
  /// [{"node": "encoder/.*", "op": "Conv", "dtype": "f32", "rank": 4, "dims": [1, -1, 14, 14],
  ///   "must": "native"}, ...], with must, prefer or forbid. docs/placing.md says more.
  std::string pins;
  /// Passes of the caller, as MLIR's textual pipelines: run in that order behind the common passes
  /// of their phase.
  std::vector<std::pair<Phase, std::string>> addedPasses;
  /// Libraries with such passes (mlir/Tools/Plugins/PassPlugin.h), loaded once for the process.
  std::vector<std::string> passPlugins;
  /// Names of passes not to run, e.g. "tessera-simplify-fold-batch-norm".
  std::vector<std::string> disabledPasses;
  /// Names of phases or passes after which `print` gets the module's text.
  std::vector<std::string> printAfter;
  std::function<void(const std::string& after, const std::string& text)> print;
  /// What a target took and then refuses (a finished region, its layouts, its code) is an error
  /// instead of another target's.
  bool isStrict = false;
  ProgressCallback progress;
};

/// Regions that their target can compile in several ways, all of one class.
struct ScheduleClass {
  std::string target;
  std::string shapeClass;            ///< What decides which way is fastest, for people, too.
  std::vector<std::string> choices;  ///< Texts of the target's; its own choice is none of them.
  std::vector<std::string> regions;  ///< Names of their functions.
  bool isKnown = false;              ///< The cost store has times of all choices.
};

/// A target's own choice stands unless another schedule is faster by more than this share of it:
/// less is not told from noise.
inline constexpr double kWorthwhileSchedule = 0.02;

/// What regions of a class took in all, compiled in one way.
struct TimedSchedule {
  std::string target;
  std::string shapeClass;
  std::string schedule;         ///< Empty: the target's own choice.
  std::vector<double> samples;  ///< Seconds of each run.
};

/// An input or output of a model.
struct PortInfo {
  std::string name;
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> shape;         ///< -1 where a size is not known.
  std::vector<std::string> dimNames;  ///< One for each dimension, empty where it has none.
};

/// One operator of a module and who owns it.
struct NodeInfo {
  std::string op;                        ///< "conv"
  std::vector<std::string> sourceNodes;  ///< ONNX node names it stands for.
  std::string owner;   ///< Target, e.g. "native -mcpu=x86-64-v4"; empty before phase partition.
  std::string region;  ///< Function that holds it; "main" when it is in none.
  int64_t flops = -1;  ///< In one call; -1: not known.
  int64_t bytes = -1;
  size_t calls = 1;  ///< Calls of its region: regions that are equal but for names are one.
};

/// One value that a region computes, and where it stands among the outputs.
struct RegionOutput {
  size_t output = 0;                     ///< Index into Module::outputs().
  std::string owner;                     ///< Target of the region.
  std::vector<std::string> ops;          ///< Operators of the region: "conv", "relu".
  std::vector<std::string> sourceNodes;  ///< ONNX node names they come from.
};

/// A region or an operator that a target first took and then refused: others run it.
struct Refusal {
  std::string target;
  std::string reason;
  std::string node;  ///< The first ONNX node that it comes from; empty when none is known.
};

/// A region whose code does not compute what the reference implementations do.
struct RegionDifference {
  std::string region;       ///< Name of its function.
  std::string regionClass;  ///< What Module::exclude knows it by.
  std::string target;
  std::string node;  ///< The first ONNX node that it comes from; empty when none is known.
  std::string what;  ///< "output 0 differs by up to 0.5 of values up to 2", or why it does not run.
};

/// Who runs what comes from one ONNX node, and who else would.
struct NodePlacement {
  std::string node;              ///< Its name; empty for what comes from none.
  std::vector<std::string> ops;  ///< "conv", "relu"
  std::string owner;             ///< Target; empty where the host program realises it as a view.
  std::string region;
  std::vector<std::string> willing;  ///< Other targets of the module that take the operators.
  struct Refusal {
    std::string target, reason;
  };
  std::vector<Refusal> refusals;  ///< The others, each with its first reason.
};

/// Wall time of one pass, summed over its runs.
struct PassTiming {
  std::string phase;
  std::string pass;
  std::string target;  ///< Whose pass it is; empty for a common one.
  double seconds = 0;
};

enum class ModuleFormat : uint8_t { kText, kBytecode };

/// A model on its way through the phases. Not thread-safe; several modules may be used from several
/// threads.
class TESSERA_API Module {
 public:
  /// Loads .onnx, .mlir or .mlirbc (with the .safetensors beside it), chosen by the file's name. An
  /// .onnx is at phase "import"; a saved module is where it was stopped. Errors (kInvalidInput)
  /// name file and node.
  static Result<Module> load(const std::string& path, const CompileOptions& options);
  /// An ONNX model in memory; external data is refused.
  static Result<Module> loadOnnx(std::span<const std::byte> bytes, const CompileOptions& options);

  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  /// A copy, with the same options, for these targets; empty: for the same ones. Nothing is
  /// imported again; the bytes of constants are shared. Errors (kUsage): the module is partitioned
  /// for other targets.
  Result<Module> clone(const std::string& targets) const;

  /// The last phase that ran.
  Phase phase() const;
  /// Runs the phases after the present one up to and including `phase`. What a target took and then
  /// refuses (a finished region, its layouts, its code) is placed again without it; the refusal is
  /// the error (kTargetFailed) when nobody else can have it, when the module was loaded
  /// partitioned, and with isStrict. Exclusions that a saved module brings are no refusals.
  Status runTo(Phase wanted);
  /// Runs the phases in front of `wanted`, and of that one what comes up to the passes that
  /// `target` (its text or kind) runs behind the common ones: targets behind it wait until the
  /// module goes on, saved and loaded in between or not. Errors (kUsage): no such target.
  Status runTo(Phase wanted, const std::string& target);

  /// Gives open dimensions the sizes of these tensors, which are matched as interpret() matches
  /// them; what CompileOptions::shapes leaves open stays so. Their data are not read. Where sizes
  /// settle a rank, an .onnx file is imported once more with them. Errors: kUsage from phase
  /// "partition" on; kInvalidInput for tensors that do not fit the model or each other.
  Status bindInputs(std::span<const HostTensor> inputs);

  std::vector<PortInfo> inputs() const;
  std::vector<PortInfo> outputs() const;
  /// Operators in execution order. After phase partition those of each region follow its first
  /// call.
  std::vector<NodeInfo> nodes() const;

  /// Who runs each ONNX node and why nobody else does, in execution order. Empty but
  /// between the phases partition and post_partition.
  std::vector<NodePlacement> placement() const;

  /// The plan that placement "measured" found, as JSON: regions with their ONNX operators, targets,
  /// costs, runners-up and evidence. Errors (kUsage): none was found by this object.
  Result<std::string> plan() const;
  /// What greedy placement makes of the module and what every target says about every operator, in
  /// the same form, without costs: for explainPlan (tessera/explain.h). Runs the phases up to
  /// "pre_partition". Errors (kUsage): the module is behind that.
  Result<std::string> greedyPlan();

  std::string toText() const;
  /// Writes the module, and its constants beside it when it has large ones: a.mlir and
  /// a.safetensors.
  Status save(const std::string& path, ModuleFormat format) const;
  /// Writes the module as an ONNX model of this opset, 13 to 23, regions in place of their calls.
  /// From phase "partition" on each node's `metadata_props` say what placement() says: who runs it
  /// (`tessera.target`, `tessera.region`), who else would (`tessera.willing`), why the others would
  /// not (`tessera.reason`). More than 256 MiB of weights go to `path`.data.
  /// Errors: kUsage past phase "post_partition", which has no operators any more, and for another
  /// opset; kInvalidInput, with the node, for what ONNX or that opset has no form for.
  Status saveOnnx(const std::string& path, int opset = 23) const;

  /// Runs the remaining phases and gives the artifact. The module is used up.
  Status compileToFile(const std::string& path);
  Result<std::vector<std::byte>> compileToMemory();

  /// The classes of regions that can be compiled in several ways, in the order of their first
  /// regions. Runs the phases up to "post_partition". Errors: kUsage where the module is behind
  /// that, or costs are those of a file ("mock:FILE"); those of the phases; a cost store that is
  /// refused.
  Result<std::vector<ScheduleClass>> scheduleClasses();
  /// Compiles the regions of a class in one of its ways; empty: as the target decides. For a module
  /// that scheduleClasses() was asked about, or a copy of it: regions that are not there are left
  /// out. A text that is none of the choices may be an error of phase "lower".
  void setSchedule(const ScheduleClass& which, const std::string& schedule);
  /// Keeps what was timed: later compilations on this machine, for this number of threads, do what
  /// was fastest. Errors: kUsage with costs of a file; the cost store cannot be written.
  Status keepSchedules(std::span<const TimedSchedule> timed) const;

  /// Runs one call of a region: `call` is its number, `inputs` what it reads, but for constants.
  using RegionRunner = std::function<Result<std::vector<HostTensor>>(
      size_t call, std::span<const HostTensor> inputs)>;
  /// Evaluates the module one operator at a time through the reference implementations. Inputs are
  /// matched by name, or by order when names are empty; outputs come in the model's order. Before
  /// phase lower only. With a runner, that one runs the regions of other targets than the host
  /// target, in the code that compileCall gives.
  Result<std::vector<HostTensor>> interpret(std::span<const HostTensor> inputs,
                                            const RegionRunner& runner = {});
  /// Says what sets the results of a region apart from the reference's; empty where they are alike.
  using ResultComparer = std::function<std::string(std::span<const HostTensor> actual,
                                                   std::span<const HostTensor> expected)>;
  /// Evaluates the module as `interpret` does and has `runner` run the regions of other targets
  /// than the host target beside it, each on what the reference gave for its inputs. Those that
  /// fail or differ, once for each class. Errors: those of the evaluation.
  Result<std::vector<RegionDifference>> compareRegions(std::span<const HostTensor> inputs,
                                                       const RegionRunner& runner,
                                                       const ResultComparer& whatDiffers);
  /// From now on regions like this one are placed without its target; `refusals` names it. Errors
  /// (kUsage): the module is partitioned, or not for that target.
  Status exclude(const RegionDifference& difference);

  /// An artifact that does what call number `call` of a partitioned module does: its inputs are
  /// what the call reads, but for constants, its outputs what it gives, row-major in host memory.
  /// Errors (kTargetFailed): the target refuses its code, nobody takes a conversion at its border.
  Result<std::vector<std::byte>> compileCall(size_t call) const;

  /// Makes every value that a region computes an output behind the model's own, row-major, to find
  /// where two ways of running the module part: the regions stay as they are, so `interpret` and
  /// the artifact give the same values up to rounding. Runs the phases up to "post_partition"
  /// first. One entry for each value, in execution order; values that nobody brings to the host's
  /// memory in row-major order are left out. Fails with kUsage on a module behind that phase.
  Result<std::vector<RegionOutput>> exposeRegions();

  std::vector<PassTiming> timings() const;

  /// What targets took by operator and refused as a region, while placing or while emitting.
  std::vector<Refusal> refusals() const;
  /// What else went another way than was asked for, a sentence each.
  std::vector<std::string> notes() const;

 private:
  friend class Session;
  struct State;
  explicit Module(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Operators of ONNX's default domain that a model may use, sorted.
TESSERA_API std::vector<std::string> onnxOperators();

/// The targets of a list as CompileOptions::targets has it, each as text. Errors (kUsage): a quote
/// is not closed.
TESSERA_API Result<std::vector<std::string>> splitTargets(const std::string& text);

/// Whether a target evaluates modules with Module::interpret instead of compiling them: such a one
/// is not among those that own operators, and no artifact is made for it.
TESSERA_API bool isInterpretedTarget(const std::string& target);

/// What the program `tessera worker` does: answers the questions of another process about a plugin
/// until that goes. Returns an exit code.
TESSERA_API int serveWorker();

/// Version of this library, "0.1.0".
TESSERA_API std::string version();

}  // namespace tessera
