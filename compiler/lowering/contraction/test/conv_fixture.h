// A convolution is compiled for a CPU, called, and compared with plain loops.
#pragma once

#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/test/contraction_fixture.h"

namespace tessera::lowering {

class ConvTest : public Contraction {
 protected:
  void checkConv(const ConvShape& shape, bool isPlainInput = false, bool hasResidual = false,
                 int64_t runBatch = 0, bool isWinograd = false);
  void emit(mlir::OpBuilder& b, const ConvShape& shape, ConvKind kind, bool isWinograd,
            ConvOperands operands, const Epilogue& epilogue);

  bool isPaddingPoisoned_ = false;  // Channels that are padding hold NaN.
  bool isInputInfinite_ = false;    // In a few places of the first and the last channel.
};

}  // namespace tessera::lowering
