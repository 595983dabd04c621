// Elementwise operators: one result element from the corresponding (broadcast) operand elements.
#ifndef TESSERA_COMPILER_IR_ELEMENTWISE_OPS_TD
#define TESSERA_COMPILER_IR_ELEMENTWISE_OPS_TD

include "compiler/ir/tsr_base.td"

/// y[i] = f(x[i]); `flops` is the nominal count for one element.
class Tsr_UnaryOp<string mnemonic, string onnx, string what, int flops = 1, Type type = Tsr_Float>
    : Tsr_SameTypeOp<mnemonic, onnx, "Elementwise", flops> {
  let summary = what;
  let description = "Applied to each element: " # what # ".";
  let example = "%y = tsr." # mnemonic # " %x : (tensor<2x3xf32>) -> tensor<2x3xf32>";
  let arguments = (ins type:$input);
  let results = (outs type:$output);
}

def Tsr_AbsOp : Tsr_UnaryOp<"abs", "Abs", "absolute value", 1, Tsr_Number>;
def Tsr_AcosOp : Tsr_UnaryOp<"acos", "Acos", "arc cosine", 10>;
def Tsr_AcoshOp : Tsr_UnaryOp<"acosh", "Acosh", "inverse hyperbolic cosine", 10>;
def Tsr_AsinOp : Tsr_UnaryOp<"asin", "Asin", "arc sine", 10>;
def Tsr_AsinhOp : Tsr_UnaryOp<"asinh", "Asinh", "inverse hyperbolic sine", 10>;
def Tsr_AtanOp : Tsr_UnaryOp<"atan", "Atan", "arc tangent", 10>;
def Tsr_AtanhOp : Tsr_UnaryOp<"atanh", "Atanh", "inverse hyperbolic tangent", 10>;
def Tsr_BitwiseNotOp : Tsr_UnaryOp<"bitwise_not", "BitwiseNot", "complement of all bits", 1, Tsr_Integer> {
  let example = "%y = tsr.bitwise_not %x : (tensor<3xui8>) -> tensor<3xui8>";
}
def Tsr_CeilOp : Tsr_UnaryOp<"ceil", "Ceil", "least integer not below the element">;
def Tsr_CosOp : Tsr_UnaryOp<"cos", "Cos", "cosine", 10>;
def Tsr_CoshOp : Tsr_UnaryOp<"cosh", "Cosh", "hyperbolic cosine", 10>;
def Tsr_ErfOp : Tsr_UnaryOp<"erf", "Erf", "Gauss error function", 10>;
def Tsr_ExpOp : Tsr_UnaryOp<"exp", "Exp", "exponential", 10>;
def Tsr_FloorOp : Tsr_UnaryOp<"floor", "Floor", "greatest integer not above the element">;
def Tsr_IdentityOp : Tsr_UnaryOp<"identity", "Identity", "the element itself", 0, Tsr_Tensor> {
  let hasFolder = 1;
}
def Tsr_LogOp : Tsr_UnaryOp<"log", "Log", "natural logarithm", 10>;
def Tsr_NegOp : Tsr_UnaryOp<"neg", "Neg", "negated element", 1, Tsr_Number>;
def Tsr_NotOp : Tsr_UnaryOp<"not", "Not", "logical negation", 1, Tsr_Bool> {
  let example = "%y = tsr.not %x : (tensor<3xi1>) -> tensor<3xi1>";
}
def Tsr_ReciprocalOp : Tsr_UnaryOp<"reciprocal", "Reciprocal", "one over the element">;
def Tsr_RoundOp : Tsr_UnaryOp<"round", "Round", "nearest integer, halves to even">;
def Tsr_SigmoidOp : Tsr_UnaryOp<"sigmoid", "Sigmoid", "1 / (1 + exp(-x))", 12>;
def Tsr_SignOp : Tsr_UnaryOp<"sign", "Sign", "-1, 0 or 1", 1, Tsr_Number>;
def Tsr_SinOp : Tsr_UnaryOp<"sin", "Sin", "sine", 10>;
def Tsr_SinhOp : Tsr_UnaryOp<"sinh", "Sinh", "hyperbolic sine", 10>;
def Tsr_SqrtOp : Tsr_UnaryOp<"sqrt", "Sqrt", "square root">;
def Tsr_TanOp : Tsr_UnaryOp<"tan", "Tan", "tangent", 10>;
def Tsr_TanhOp : Tsr_UnaryOp<"tanh", "Tanh", "hyperbolic tangent", 10>;
def Tsr_ReluOp : Tsr_UnaryOp<"relu", "Relu", "max(x, 0)", 1, Tsr_Number>;
def Tsr_HardSwishOp : Tsr_UnaryOp<"hard_swish", "HardSwish", "x * max(0, min(1, x / 6 + 0.5))", 4>;
def Tsr_MishOp : Tsr_UnaryOp<"mish", "Mish", "x * tanh(ln(1 + exp(x)))", 24>;
def Tsr_SoftplusOp : Tsr_UnaryOp<"softplus", "Softplus", "ln(1 + exp(x))", 20>;
def Tsr_SoftsignOp : Tsr_UnaryOp<"softsign", "Softsign", "x / (1 + |x|)", 3>;

def Tsr_LeakyReluOp : Tsr_UnaryOp<"leaky_relu", "LeakyRelu", "x where x >= 0, alpha * x elsewhere", 2> {
  let arguments = (ins Tsr_Float:$input, Tsr_FloatDefault<"0.01f">:$alpha);
}
def Tsr_EluOp : Tsr_UnaryOp<"elu", "Elu", "x where x >= 0, alpha * (exp(x) - 1) elsewhere", 12> {
  let arguments = (ins Tsr_Float:$input, Tsr_FloatDefault<"1.0f">:$alpha);
}
def Tsr_SeluOp : Tsr_UnaryOp<"selu", "Selu", "gamma * (x where x > 0, alpha * (exp(x) - 1) elsewhere)", 13> {
  let arguments = (ins Tsr_Float:$input, Tsr_FloatDefault<"1.67326319217681884765625f">:$alpha,
                   Tsr_FloatDefault<"1.05070102214813232421875f">:$gamma);
}
def Tsr_CeluOp : Tsr_UnaryOp<"celu", "Celu", "max(0, x) + min(0, alpha * (exp(x / alpha) - 1))", 14> {
  let arguments = (ins Tsr_Float:$input, Tsr_FloatDefault<"1.0f">:$alpha);
}
def Tsr_ThresholdedReluOp : Tsr_UnaryOp<"thresholded_relu", "ThresholdedRelu", "x where x > alpha, 0 elsewhere", 1> {
  let arguments = (ins Tsr_Float:$input, Tsr_FloatDefault<"1.0f">:$alpha);
}
def Tsr_HardSigmoidOp : Tsr_UnaryOp<"hard_sigmoid", "HardSigmoid", "max(0, min(1, alpha * x + beta))", 4> {
  let arguments = (ins Tsr_Float:$input, Tsr_FloatDefault<"0.2f">:$alpha, Tsr_FloatDefault<"0.5f">:$beta);
}
def Tsr_ShrinkOp : Tsr_UnaryOp<"shrink", "Shrink", "x + bias below -lambd, x - bias above lambd, 0 between", 2, Tsr_Number> {
  let arguments = (ins Tsr_Number:$input, Tsr_FloatDefault<"0.0f">:$bias, Tsr_FloatDefault<"0.5f">:$lambd);
}
def Tsr_GeluOp : Tsr_Op<"gelu", "Gelu", "Elementwise", 14> {
  let summary = "x times the normal distribution function of x, exact or by tanh";
  let description = "(C1) approximate is none or tanh.";
  let results = (outs Tsr_Float:$output);
  let example = [{%output = tsr.gelu %input {approximate = "tanh"} : (tensor<3xbf16>) -> tensor<3xbf16>}];
  let arguments = (ins Tsr_Float:$input, Tsr_WordDefault<Tsr_GeluApproximation, "none">:$approximate);
}

def Tsr_IsNanOp : Tsr_Op<"is_nan", "IsNaN", "Elementwise", 1> {
  let summary = "true where the element is not a number";
  let example = [{%output = tsr.is_nan %input : (tensor<3xf16>) -> tensor<3xi1>}];
  let arguments = (ins Tsr_Float:$input);
  let results = (outs Tsr_Bool:$output);
}
def Tsr_IsInfOp : Tsr_Op<"is_inf", "IsInf", "Elementwise", 1> {
  let summary = "true where the element is infinite";
  let example = [{%output = tsr.is_inf %input {detect_negative = 0 : i64} : (tensor<3xf64>) -> tensor<3xi1>}];
  let arguments = (ins Tsr_Float:$input, Tsr_IntDefault<"1">:$detect_negative, Tsr_IntDefault<"1">:$detect_positive);
  let results = (outs Tsr_Bool:$output);
}
def Tsr_CastOp : Tsr_Op<"cast", "Cast", "Elementwise", 1> {
  let summary = "conversion of the element type";
  let description = [{
    `to` is an ONNX TensorProto.DataType number. Float to integer rounds towards zero.

    (C1) `to` is an element type of the dialect.
  }];
  let example = [{%output = tsr.cast %input {to = 7 : i64} : (tensor<3xf32>) -> tensor<3xi64>}];
  let arguments = (ins Tsr_Tensor:$input, Tsr_IntDefault<"1">:$saturate, I64Attr:$to);
  let results = (outs Tsr_Tensor:$output);
  let hasFolder = 1;
}

/// Numpy broadcasting of all operands; the result has the element type of operand 0.
class Tsr_BroadcastOp<string mnemonic, string onnx, string what, int flops = 1, list<Trait> traits = []>
    : Tsr_Op<mnemonic, onnx, "Broadcast", flops, !listconcat([Tsr_NumpyBroadcast], traits)> {
  let summary = what;
  let description = [{
    Operands are broadcast to one shape as numpy does: shapes are aligned at the last dimension, a dimension of size 1
    is repeated.

    (C1) Operands have one element type.
    (C2) Aligned dimensions are equal or one of them is 1.
  }];
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferBroadcast(getOperation(), /*boolResult=*/false, types);
    }
  }];
}
class Tsr_BinaryOp<string mnemonic, string onnx, string what, Type type = Tsr_Number, string element = "f32">
    : Tsr_BroadcastOp<mnemonic, onnx, what> {
  let example = "%c = tsr." # mnemonic # " %a, %b : (tensor<2x1x3x" # element # ">, tensor<4x1x" # element #
    ">) -> tensor<2x4x3x" # element # ">";
  let arguments = (ins type:$a, type:$b);
  let results = (outs type:$c);
}
class Tsr_CompareOp<string mnemonic, string onnx, string what, Type type = Tsr_Number>
    : Tsr_BroadcastOp<mnemonic, onnx, what> {
  let example = "%c = tsr." # mnemonic # " %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>";
  let arguments = (ins type:$a, type:$b);
  let results = (outs Tsr_Bool:$c);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferBroadcast(getOperation(), /*boolResult=*/true, types);
    }
  }];
}
class Tsr_VariadicOp<string mnemonic, string onnx, string what, Type type>
    : Tsr_BroadcastOp<mnemonic, onnx, what> {
  let example = "%result = tsr." # mnemonic # " %a, %b, %c : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>";
  let arguments = (ins Variadic<type>:$data);
  let results = (outs type:$result);
}

def Tsr_AddOp : Tsr_BinaryOp<"add", "Add", "sum of two elements">;
def Tsr_SubOp : Tsr_BinaryOp<"sub", "Sub", "difference of two elements">;
def Tsr_MulOp : Tsr_BinaryOp<"mul", "Mul", "product of two elements">;
def Tsr_DivOp : Tsr_BinaryOp<"div", "Div", "quotient of two elements; integers round towards zero">;
def Tsr_ModOp : Tsr_BinaryOp<"mod", "Mod", "remainder, sign of the divisor, or of the dividend with fmod = 1"> {
  let arguments = (ins Tsr_Number:$a, Tsr_Number:$b, Tsr_IntDefault<"0">:$fmod);
}
def Tsr_PreluOp : Tsr_Op<"prelu", "PRelu", "Broadcast", 2> {
  let summary = "x where x >= 0, slope * x elsewhere; slope broadcasts to x";
  let description = "(C1) x and slope have one element type. (C2) slope broadcasts to the shape of x.";
  let example = [{%y = tsr.prelu %x, %slope : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>}];
  let arguments = (ins Tsr_Number:$x, Tsr_Number:$slope);
  let results = (outs Tsr_Number:$y);
}
def Tsr_AndOp : Tsr_BinaryOp<"and", "And", "logical and", Tsr_Bool, "i1">;
def Tsr_OrOp : Tsr_BinaryOp<"or", "Or", "logical or", Tsr_Bool, "i1">;
def Tsr_XorOp : Tsr_BinaryOp<"xor", "Xor", "logical exclusive or", Tsr_Bool, "i1">;
def Tsr_BitwiseAndOp : Tsr_BinaryOp<"bitwise_and", "BitwiseAnd", "and of all bits", Tsr_Integer, "i32">;
def Tsr_BitwiseOrOp : Tsr_BinaryOp<"bitwise_or", "BitwiseOr", "or of all bits", Tsr_Integer, "i32">;
def Tsr_BitwiseXorOp : Tsr_BinaryOp<"bitwise_xor", "BitwiseXor", "exclusive or of all bits", Tsr_Integer, "i32">;
def Tsr_BitShiftOp : Tsr_Op<"bit_shift", "BitShift", "Broadcast", 1, [Tsr_NumpyBroadcast]> {
  let summary = "shift by the second element, LEFT or RIGHT";
  let description = "(C1) a and b have one element type. (C2) Aligned dimensions are equal or one of them is 1. (C3) direction is LEFT or RIGHT.";
  let example = [{
    %c = tsr.bit_shift %a, %b {direction = "LEFT"} : (tensor<3xui8>, tensor<1xui8>) -> tensor<3xui8>
  }];
  let arguments = (ins Tsr_Integer:$a, Tsr_Integer:$b, Tsr_Word<Tsr_ShiftDirection>:$direction);
  let results = (outs Tsr_Integer:$c);
}
def Tsr_EqualOp : Tsr_CompareOp<"equal", "Equal", "true where elements are equal", Tsr_Tensor>;
def Tsr_GreaterOp : Tsr_CompareOp<"greater", "Greater", "true where a > b">;
def Tsr_GreaterOrEqualOp : Tsr_CompareOp<"greater_or_equal", "GreaterOrEqual", "true where a >= b">;
def Tsr_LessOp : Tsr_CompareOp<"less", "Less", "true where a < b">;
def Tsr_LessOrEqualOp : Tsr_CompareOp<"less_or_equal", "LessOrEqual", "true where a <= b">;
def Tsr_MinOp : Tsr_VariadicOp<"min", "Min", "least of the elements", Tsr_Number>;
def Tsr_MaxOp : Tsr_VariadicOp<"max", "Max", "greatest of the elements", Tsr_Number>;
def Tsr_SumOp : Tsr_VariadicOp<"sum", "Sum", "sum of the elements of any number of tensors", Tsr_Float>;
def Tsr_MeanOp : Tsr_VariadicOp<"mean", "Mean", "mean of the elements of any number of tensors", Tsr_Float>;

def Tsr_PowOp : Tsr_Op<"pow", "Pow", "Broadcast", 20, [Tsr_NumpyBroadcast]> {
  let summary = "a to the power of b; the result has the element type of a";
  let description = "(C1) Aligned dimensions are equal or one of them is 1. The element types may differ.";
  let example = [{%c = tsr.pow %a, %b : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>}];
  let arguments = (ins Tsr_Number:$a, Tsr_Number:$b);
  let results = (outs Tsr_Number:$c);
}
def Tsr_WhereOp : Tsr_Op<"where", "Where", "Broadcast", 1, [Tsr_NumpyBroadcast]> {
  let summary = "x where the condition holds, y elsewhere";
  let description = "(C1) x and y have one element type. (C2) Aligned dimensions are equal or one of them is 1.";
  let example = [{
    %output = tsr.where %condition, %x, %y : (tensor<3x1xi1>, tensor<2xf32>, tensor<f32>) -> tensor<3x2xf32>
  }];
  let arguments = (ins Tsr_Bool:$condition, Tsr_Tensor:$x, Tsr_Tensor:$y);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_ClipOp : Tsr_Op<"clip", "Clip", "Elementwise", 2, [AttrSizedOperandSegments]> {
  let summary = "min(max(x, min), max)";
  let description = [{
    An absent bound is the least or the greatest finite number of the element type, so that infinities become finite.
    NaN stays; a bound that is NaN bounds nothing; where min > max, the result is max.

    (C1) min and max, where present, are scalars of the element type of x.
  }];
  let example = [{
    %output = tsr.clip %input, %min, %max {operandSegmentSizes = array<i32: 1, 1, 1>} :
      (tensor<2xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  }];
  let arguments = (ins Tsr_Number:$input, Optional<Tsr_Number>:$min, Optional<Tsr_Number>:$max);
  let results = (outs Tsr_Number:$output);
}

#endif
