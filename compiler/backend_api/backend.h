// The contract that a backend implements: everything the compiler may ask an owner of regions.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/backend_api/emission.h"
#include "compiler/backend_api/pattern_table.h"
#include "compiler/backend_api/support.h"
#include "compiler/ir/tsr.h"
#include "compiler/target/phase.h"
#include "compiler/target/target.h"
#include "mlir/Pass/PassManager.h"
#include "tessera/status.h"

namespace tessera::backend_api {

inline constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

/// What may become one region of this backend: single operators unless it says more.
struct RegionRules {
  /// Fusion by the operators' fusion kinds (TVM's rules), one value leaving each region: chains of
  /// elementwise, broadcast and injective operators.
  bool fuseElementwise = false;
  /// The same: elementwise operators into the contraction or reduction that feeds them.
  bool fuseEpilogues = false;
  /// With that: operators of opaque kind that take elementwise ones behind them as reductions do.
  /// None unless given.
  std::function<bool(mlir::Operation*)> takesEpilogue = {};
  /// Whether elementwise `op` may be computed behind `contraction`, or what else takes an epilogue,
  /// in whose region `members` are. Every one unless given.
  std::function<bool(mlir::Operation* op, mlir::Operation* contraction,
                     const llvm::DenseSet<mlir::Operation*>& members)>
      joinsEpilogue = {};
  /// Whether the region of `contraction` may end with such an `op`; else it goes on, or ends before
  /// that. With every one unless given.
  std::function<bool(mlir::Operation* op, mlir::Operation* contraction)> mayEndEpilogue = {};
  /// Whether `op`, which alone reads a contraction's result behind its epilogue, is computed in
  /// that region, as its end: a pool. None unless given.
  std::function<bool(mlir::Operation* op, mlir::Operation* contraction)> endsEpilogue = {};
  /// Whether elementwise `op`, which nothing else reads, may be computed in the region of a
  /// contraction whose operand it makes, or others of that region make of its result.
  std::function<bool(mlir::Operation* op, mlir::OpOperand&)> fusesPrologue = {};
  /// Whole-graph style: all operators that it owns and that hang together become one region, as far
  /// as no cycle of regions arises. Its layouts are asked for by region then, not by operator:
  /// where one that it chose differs from what the body has, `tsr.relayout` and `tsr.copy` stand at
  /// the body's border and are the owner's. A choice that needs one it does not support counts for
  /// nothing.
  bool mergesOperators = false;
  /// Whether reshapes and the like join its regions. Where they do not, and at the borders of
  /// regions, the host program realises them without running anything.
  bool takesViews = true;
  size_t maxOperations = kUnlimited;  ///< Constants do not count.
  size_t maxExits = kUnlimited;       ///< Values that leave a merged region.
  size_t maxDepth = kUnlimited;       ///< Operators on the longest path through a merged region.
  /// What makes a region worth its borders; others are placed again without this owner. At least
  /// one of these operators (mnemonics), in composites too, unless there are none.
  std::vector<std::string> anchors = {};
  size_t minOperations = 0;        ///< Views and constants do not count.
  size_t maxRegions = kUnlimited;  ///< In a module: those with the most FLOPs stay.
  /// Constants that go into the region's body instead of its arguments; asked for each constant
  /// operand but a conversion's. Small integers, such as shapes and axes, unless given.
  std::function<bool(mlir::OpOperand&)> isInlineConstant = {};
};

/// Order and memory space that an owner wants for an operator or a region: one type for each
/// operand and result. Logical shapes, element types and names of dimensions are those of the
/// operator, whatever is said here; absent operands do not count.
struct LayoutChoice {
  llvm::SmallVector<mlir::RankedTensorType> operands;
  llvm::SmallVector<mlir::RankedTensorType> results;
};

/// A constant as its owner wants it.
struct UpdatedConstant {
  mlir::RankedTensorType type;
  std::vector<std::byte> bytes;  ///< In the physical order of the type; bool one byte each.
};

/// Ways to compile one region that differ in speed alone.
struct Schedules {
  /// What of the region decides which is fastest: regions of one class share what was learnt.
  std::string shapeClass;
  /// Texts of its owner, for kScheduleAttribute: those worth trying beside what it does by itself.
  std::vector<std::string> choices;
};

/// The compile half of one backend. Stateless and thread-safe: what it learns lives in the module.
class Backend {
 public:
  virtual ~Backend() = default;

  /// What targets of this backend are called and which attributes they have. The same at each call,
  /// alive as long as the backend.
  virtual const target::TargetKind& kind() const = 0;
  /// The version of this half, for people, and a part of the keys of its compiled code: another one
  /// may make other code of the same region.
  virtual std::string version() const = 0;

  /// Files beyond its two halves whose code its regions run, or that its code is made by: a kernel
  /// library that it opens by itself, a compiler that it starts. Paths, or names as dlopen takes
  /// them. Times of its regions are kept under their content; what the runtime half is linked with
  /// need not be named.
  virtual std::vector<std::string> usedFiles(const target::Target& /*target*/) const { return {}; }

  /// Dialects that its passes make.
  virtual void registerDialects(mlir::DialectRegistry& /*registry*/) const {}

  /// Makes every pass that it runs, those inside of its passes included, known by name, so that
  /// people can print behind it and leave it out. May be called again.
  virtual void registerPasses() const {}

  /// Resolves attribute values such as "native" to what they mean on this machine, so that a module
  /// says all.
  virtual Result<target::Target> resolve(const target::Target& target) const { return target; }

  /// Whether it can run the operator (a tensor operator, composite or custom operator) with the
  /// types it has.
  virtual Support supports(mlir::Operation* op, const target::Target& target) const = 0;

  /// `supports` for many operators of one block at once, one answer for each: for tools that must
  /// see the whole graph. Asks one by one unless overridden.
  virtual std::vector<Support> query(llvm::ArrayRef<mlir::Operation*> ops,
                                     const target::Target& target) const;

  /// Whether it takes a finished region, of operators that it took one by one. Asked once for each;
  /// a merged one is row-major still. A refused region's operators are placed again without this
  /// owner.
  virtual Support supportsRegion(mlir::func::FuncOp /*region*/,
                                 const target::Target& /*target*/) const {
    return Supported{};
  }

  /// Types of the results of an operator that the dialect does not know, asked while a model is
  /// imported, before anything has an owner: operands have types as far as they are known,
  /// `onnx_attributes` are the node's. A null type: what the file declares stands; none at all: it
  /// does not know the operator. Errors are told to people where a type is missing then.
  virtual Result<llvm::SmallVector<mlir::Type>> inferTypes(ir::CustomOp /*op*/) const {
    return llvm::SmallVector<mlir::Type>();
  }

  /// What it takes as one although it is several operators. Asked once for a pass.
  virtual PatternTable patterns(const target::Target& /*target*/) const { return {}; }

  /// Forms that the module must have before it is asked about operators, such as "no_composites"
  /// (compiler/transforms/forms.h has them all). Those that any target of a module needs are
  /// established together in phase pre_partition, each once, for the whole module.
  virtual std::vector<std::string> needs(const target::Target& /*target*/) const { return {}; }

  /// Mnemonics of the tsr operators that `supports` may take, sorted; for people who ask. None:
  /// what it takes cannot be listed.
  virtual std::vector<std::string> operators() const { return {}; }

  /// Names of the memory spaces, the host's left out, in which its regions may have arguments and
  /// results: what `chooseLayouts` may answer, on any of its devices; for people who ask.
  virtual std::vector<std::string> memorySpaces() const { return {}; }

  /// What may become one region of this target. Asked at the beginning of each pass that cuts
  /// regions.
  virtual RegionRules regionRules(const target::Target& /*target*/) const { return {}; }

  /// Adds its passes on functions that improve a region before it asks what becomes of it: run on
  /// each region by itself, as soon as it is cut and before `supportsRegion` and `chooseLayouts`.
  virtual void addRegionPasses(mlir::OpPassManager& /*manager*/,
                               const target::Target& /*target*/) const {}

  /// Whether two operators that are more than elementwise (contractions, pools, reductions, what
  /// moves elements) may be in one fused region: false where the owner has no fast code for both at
  /// once.
  virtual bool mayShareRegion(mlir::Operation* /*first*/, mlir::Operation* /*second*/) const {
    return true;
  }

  /// The layouts in which it runs `op`, best first, given in which layout each operand is available
  /// without conversion. `op` is an operator or, of an owner that merges, a finished region, whose
  /// arguments and results count as operands and results (func::FuncOp). Greedy placement takes the
  /// first whose conversions somebody runs; a choice with more or fewer types than `op` has counts
  /// as none. At the borders of a composite's or a region's body the owner converts by itself
  /// (`tsr.relayout`, `tsr.copy`). Row-major in host memory unless overridden.
  virtual std::vector<LayoutChoice> chooseLayouts(mlir::Operation* op,
                                                  llvm::ArrayRef<mlir::RankedTensorType> available,
                                                  const target::Target& target) const;

  /// Seconds that a region takes at least: a search looks at what may be faster first, and not at
  /// all at what cannot pay. Nothing: what the processors of this machine could do at best, which
  /// the devices of a target may surpass.
  virtual std::optional<double> leastSeconds(mlir::func::FuncOp /*region*/,
                                             const target::Target& /*target*/) const {
    return std::nullopt;
  }

  /// In which other ways it can compile a region, in the layouts that it has: what `tessera tune`
  /// tries and later compilations then do. Nothing: there is one way.
  virtual std::optional<Schedules> schedules(mlir::func::FuncOp /*region*/,
                                             const target::Target& /*target*/) const {
    return std::nullopt;
  }

  /// Whether result 0 of a region may take the memory of an operand (by its index) when that value
  /// dies there.
  virtual bool canReuseOperand(mlir::func::FuncOp /*region*/, unsigned /*index*/) const {
    return false;
  }

  /// Adds its passes on modules for one point of the pipeline: before or after the common passes of
  /// `phase`. Until phase `partition` is over nothing has an owner: they see the whole module and
  /// leave it legal for every other target, in the dialects tsr and func. From then on they see a
  /// module that holds the functions of this target, what earlier passes added beside them, and
  /// nothing else. Targets' passes run in the order of the targets.
  virtual void addPasses(target::Phase /*phase*/, target::HookPoint /*point*/,
                         mlir::OpPassManager& /*manager*/, const target::Target& /*target*/) const {
  }

  /// Names of common passes that are not run on its own regions: "canonicalize", "cse".
  virtual std::vector<std::string> skippedPasses(const target::Target& /*target*/) const {
    return {};
  }

  /// What replaces the constant that argument `index` of a region is in every call, as the region's
  /// code reads it: packed, say. Asked in phase emit, for each call, once the region has code.
  /// `bytes` are those of `type`. Calls of one region get one type. Nothing: it stays as it is.
  /// Originals that nothing else names are not stored.
  virtual std::optional<UpdatedConstant> updateConstant(mlir::func::FuncOp /*region*/,
                                                        unsigned /*index*/,
                                                        mlir::RankedTensorType /*type*/,
                                                        std::span<const std::byte> /*bytes*/,
                                                        const target::Target& /*target*/) const {
    return std::nullopt;
  }

  /// Turns all regions it owns into code (TIRToRuntime, or graph to runtime). `regions` differ from
  /// each other. An error stands for a refusal of all of them.
  virtual Result<Emission> emit(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> regions,
                                const target::Target& target, const EmitContext& context) const = 0;
};

/// A target and the backend that implements its kind. The backend outlives the owner.
struct Owner {
  target::Target target;
  const Backend* backend = nullptr;
};
/// In order of preference.
using Owners = std::vector<Owner>;

/// The attribute of a function or operation that names its owner.
inline constexpr llvm::StringLiteral kTargetAttribute = "tessera.target";

/// The attribute of a region function in which its owner tells people what they should know about
/// the code, such as why it is slow: a string, one sentence. Carried into the artifact.
inline constexpr llvm::StringLiteral kRemarkAttribute = "tessera.remark";

/// The attribute of a region function that says in which of its owner's ways it is compiled
/// (Schedules): a string. The owner decides where there is none.
inline constexpr llvm::StringLiteral kScheduleAttribute = "tessera.schedule";

/// The attribute of a region function that its owner has no code for: the reason, a string. Others
/// get the region.
inline constexpr llvm::StringLiteral kRefusedAttribute = "tessera.refused";

/// `#tsr.target<...>` of a target, and back.
ir::TargetAttr toAttribute(mlir::MLIRContext* context, const target::Target& target);
target::Target fromAttribute(ir::TargetAttr attribute);
/// The owner of a function or operation; null when it has none.
ir::TargetAttr ownerOf(mlir::Operation* op);
/// Whether an operation of a module is the target's: a function or module that it owns, its code.
bool belongsTo(mlir::Operation& op, ir::TargetAttr target);
/// The owner whose target `attribute` is; null when it is not among `owners`.
const Owner* findOwner(const Owners& owners, ir::TargetAttr attribute);

}  // namespace tessera::backend_api
