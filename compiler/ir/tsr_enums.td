// The words of attributes that choose among a fixed list: strings in a module, as ONNX spells them, enum classes in C++.
#ifndef TESSERA_COMPILER_IR_TSR_ENUMS_TD
#define TESSERA_COMPILER_IR_TSR_ENUMS_TD

include "mlir/IR/EnumAttr.td"

/// An enum class with `symbolizeEnum<Name>(text)` and `stringifyEnum(word)`; no attribute of its own.
class Tsr_Enum<string name, string what, list<I32EnumAttrCase> words> : I32EnumAttr<name, what, words> {
  let cppNamespace = "::tessera::ir";
  let genSpecializedAttr = 0;
}

/// A string attribute that is read and set as a word of `e`. Any string is stored, so that inference, and with it the
/// verifier, can name what it found (`expectWord`); the accessor is for operators that have been verified.
class Tsr_Word<Tsr_Enum e> : Attr<CPred<"::llvm::isa<::mlir::StringAttr>($_self)">, "string attribute"> {
  let storageType = "::mlir::StringAttr";
  let returnType = e.cppType;
  let convertFromStorage = "::tessera::ir::wordOf<" # e.cppType # ">($_self)";
  let constBuilderCall = "$_builder.getStringAttr(::tessera::ir::" # e.symbolToStringFnName # "($0))";
  let valueType = NoneType;
}

/// The same with a default; scripts/generate_op_table.py reads `defaultWord`.
class Tsr_WordDefault<Tsr_Enum e, string word>
    : DefaultValuedAttr<Tsr_Word<e>, e.cppType # "::" #
        !foldl("", e.enumerants, found, entry, !if(!eq(entry.str, word), entry.symbol, found))> {
  string defaultWord = word;
}

def Tsr_AutoPad : Tsr_Enum<"AutoPad", "who decides the pads of a window", [
    I32EnumAttrCase<"NotSet", 0, "NOTSET">,
    I32EnumAttrCase<"Valid", 1, "VALID">,
    I32EnumAttrCase<"SameUpper", 2, "SAME_UPPER">,
    I32EnumAttrCase<"SameLower", 3, "SAME_LOWER">]>;

def Tsr_PadMode : Tsr_Enum<"PadMode", "what stands behind the borders of a padded tensor", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Edge", 2, "edge">,
    I32EnumAttrCase<"Wrap", 3, "wrap">]>;

def Tsr_ScatterReduction : Tsr_Enum<"ScatterReduction", "what becomes of an element that an update meets", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Add", 1, "add">,
    I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Min", 4, "min">]>;

def Tsr_DepthOrder : Tsr_Enum<"DepthOrder", "order of block position and channel in the depth of a tensor", [
    I32EnumAttrCase<"BlocksFirst", 0, "DCR">,
    I32EnumAttrCase<"ChannelsFirst", 1, "CRD">]>;

def Tsr_ShiftDirection : Tsr_Enum<"ShiftDirection", "where bits move", [
    I32EnumAttrCase<"Left", 0, "LEFT">,
    I32EnumAttrCase<"Right", 1, "RIGHT">]>;

def Tsr_GeluApproximation : Tsr_Enum<"GeluApproximation", "the formula of gelu", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Tanh", 1, "tanh">]>;

def Tsr_ResizeMode : Tsr_Enum<"ResizeMode", "the filter of a resize", [
    I32EnumAttrCase<"Nearest", 0, "nearest">,
    I32EnumAttrCase<"Linear", 1, "linear">,
    I32EnumAttrCase<"Cubic", 2, "cubic">]>;

def Tsr_CoordinateTransformation : Tsr_Enum<"CoordinateTransformation", "the input position that an output position shows", [
    I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
    I32EnumAttrCase<"HalfPixelSymmetric", 1, "half_pixel_symmetric">,
    I32EnumAttrCase<"PytorchHalfPixel", 2, "pytorch_half_pixel">,
    I32EnumAttrCase<"AlignCorners", 3, "align_corners">,
    I32EnumAttrCase<"Asymmetric", 4, "asymmetric">,
    I32EnumAttrCase<"CropAndResize", 5, "tf_crop_and_resize">,
    I32EnumAttrCase<"HalfPixelForNearest", 6, "tf_half_pixel_for_nn">]>;

def Tsr_NearestMode : Tsr_Enum<"NearestMode", "how a position between two elements is rounded", [
    I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
    I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
    I32EnumAttrCase<"Floor", 2, "floor">,
    I32EnumAttrCase<"Ceil", 3, "ceil">]>;

def Tsr_AspectRatioPolicy : Tsr_Enum<"AspectRatioPolicy", "what the wanted sizes of a resize mean", [
    I32EnumAttrCase<"Stretch", 0, "stretch">,
    I32EnumAttrCase<"NotLarger", 1, "not_larger">,
    I32EnumAttrCase<"NotSmaller", 2, "not_smaller">]>;

def Tsr_RecurrentDirection : Tsr_Enum<"RecurrentDirection", "the order in which a recurrent layer reads its steps", [
    I32EnumAttrCase<"Forward", 0, "forward">,
    I32EnumAttrCase<"Reverse", 1, "reverse">,
    I32EnumAttrCase<"Bidirectional", 2, "bidirectional">]>;

#endif
