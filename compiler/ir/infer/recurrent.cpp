// LSTM, GRU and RNN: shapes of the sequence output and the last states.
#include "compiler/ir/spec/recurrent.h"
#include "compiler/ir/infer/common.h"

namespace tessera::ir {

namespace {

/// What the three layers have in common, once checked.
struct Recurrent {
  Dim steps;
  Dim batch;
  Dim input;
  Dim hidden;
  int64_t directions;
  int64_t layout;

  /// The shape of y: [T, D, N, H], or [N, T, D, H] for layout 1.
  Dims sequence() const {
    const Dim d{.size = directions};
    return layout == 0 ? Dims{steps, d, batch, hidden} : Dims{batch, steps, d, hidden};
  }
  /// The shape of a state: [D, N, H], or [N, D, H] for layout 1.
  Dims state() const {
    const Dim d{.size = directions};
    return layout == 0 ? Dims{d, batch, hidden} : Dims{batch, d, hidden};
  }
};

Dim times(const Dim& dim, int64_t factor) {
  return dim.isStatic() ? Dim{.size = saturatingProduct(dim.size, factor)} : Dim{};
}

/// The size of the hidden state, from the attribute or from r: [D, gates * H, H].
template <typename RecurrentOp>
std::optional<Dim> hiddenSize(RecurrentOp op, const Dims& r, int64_t gates) {
  Dim hidden = r[2];
  if (op.getHiddenSize()) {
    const Dim declared{.size = static_cast<int64_t>(*op.getHiddenSize())};
    if (declared.size < 1 || declared.size > kMaxExtent || !mergeDims(hidden, declared)) {
      op.emitOpError() << "(C2) hidden_size is " << declared.size
                       << ", expected the last size of r, " << toText(r);
      return std::nullopt;
    }
    hidden = declared;
  }
  if (!mergeDims(r[1], times(hidden, gates))) {
    op.emitOpError() << "(C2) r has shape " << toText(r) << ", expected " << gates
                     << " * hidden size rows for " << toText(hidden);
    return std::nullopt;
  }
  return hidden;
}

/// Checks the operands that the three layers share; nothing after an error.
template <typename RecurrentOp>
std::optional<Recurrent> checkRecurrent(RecurrentOp op) {
  constexpr int64_t gates = RecurrentOp::kNumGates;
  if (mlir::failed(expectRank(op, "(C1)", op.getX(), "x", 3)) ||
      mlir::failed(expectRank(op, "(C1)", op.getW(), "w", 3)) ||
      mlir::failed(expectRank(op, "(C1)", op.getR(), "r", 3)) ||
      mlir::failed(
          expectWord<RecurrentDirection>(op, "(C3)", "direction", op.getDirectionAttr())) ||
      mlir::failed(expectSameElement(
          op, "(C4)", {op.getX(), op.getW(), op.getR(), op.getB(), op.getInitialH()})))
    return std::nullopt;
  const auto layout = static_cast<int64_t>(op.getLayout());
  if (layout != 0 && layout != 1) {
    op.emitOpError() << "(C3) layout is " << layout << ", expected 0 or 1";
    return std::nullopt;
  }
  const Dims x = dimsOf(typeOf(op.getX())), r = dimsOf(typeOf(op.getR()));
  const std::optional<Dim> hidden = hiddenSize(op, r, gates);
  if (!hidden) return std::nullopt;
  const Recurrent layer{.steps = x[layout == 0 ? 0 : 1],
                        .batch = x[layout == 0 ? 1 : 0],
                        .input = x[2],
                        .hidden = *hidden,
                        .directions = spec::numDirections(op),
                        .layout = layout};
  const Dim d{.size = layer.directions}, rows = times(*hidden, gates);
  const auto fits = [&](mlir::Value operand, llvm::StringRef name, const Dims& expected) {
    return !operand || mlir::succeeded(expectDims(op, "(C2)", operand, name, expected));
  };
  if (!fits(op.getW(), "w", {d, rows, layer.input}) || !fits(op.getR(), "r", {d, rows, *hidden}) ||
      !fits(op.getB(), "b", {d, times(rows, 2)}) ||
      !fits(op.getSequenceLens(), "sequence_lens", {layer.batch}) ||
      !fits(op.getInitialH(), "initial_h", layer.state()))
    return std::nullopt;
  return layer;
}

/// Appends the type of each result that is asked for: y, then the states.
mlir::LogicalResult appendResults(mlir::Operation* op, const Recurrent& layer, mlir::Value y,
                                  llvm::ArrayRef<mlir::Value> states, Types& types) {
  const mlir::Type element = operandType(op, 0).getElementType();
  if (y && mlir::failed(appendResult(op, element, layer.sequence(), types))) return mlir::failure();
  for (const mlir::Value state : states) {
    if (state && mlir::failed(appendResult(op, element, layer.state(), types)))
      return mlir::failure();
  }
  return mlir::success();
}

/// Two matrix products for each step: x * w' and h * r'.
template <typename RecurrentOp>
int64_t recurrentFlops(RecurrentOp op) {
  const auto x = typeOf(op.getX());
  if (!x.hasStaticShape()) return -1;
  const int64_t vectors = saturatingProduct(x.getDimSize(0), x.getDimSize(1));
  const int64_t w = staticProduct(dimsOf(typeOf(op.getW()))),
                r = staticProduct(dimsOf(typeOf(op.getR())));
  if (w < 0 || r < 0) return -1;
  return saturatingProduct(saturatingProduct(2, vectors), w + std::min(r, INT64_MAX - w));
}

}  // namespace

mlir::LogicalResult LstmOp::inferTypes(Types& types) {
  const std::optional<Recurrent> layer = checkRecurrent(*this);
  if (!layer || mlir::failed(expectSameElement(*this, "(C4)", {getX(), getInitialC(), getP()})))
    return mlir::failure();
  if (getInitialC() &&
      mlir::failed(expectDims(*this, "(C2)", getInitialC(), "initial_c", layer->state())))
    return mlir::failure();
  const Dims peepholes = {Dim{.size = layer->directions}, times(layer->hidden, 3)};
  if (getP() && mlir::failed(expectDims(*this, "(C2)", getP(), "p", peepholes)))
    return mlir::failure();
  return appendResults(*this, *layer, getY(), {getYH(), getYC()}, types);
}
int64_t LstmOp::getFlops() { return recurrentFlops(*this); }

mlir::LogicalResult GruOp::inferTypes(Types& types) {
  const std::optional<Recurrent> layer = checkRecurrent(*this);
  return layer ? appendResults(*this, *layer, getY(), {getYH()}, types) : mlir::failure();
}
int64_t GruOp::getFlops() { return recurrentFlops(*this); }

mlir::LogicalResult RnnOp::inferTypes(Types& types) {
  const std::optional<Recurrent> layer = checkRecurrent(*this);
  return layer ? appendResults(*this, *layer, getY(), {getYH()}, types) : mlir::failure();
}
int64_t RnnOp::getFlops() { return recurrentFlops(*this); }

}  // namespace tessera::ir
