"""One ONNX node test: whether the project claims it, and its form with shape-like inputs bound as constants."""

import os
import shutil

import onnx
from onnx import TensorProto

from tensors import numbered

MIN_OPSET = 7  # what the importer reads
MAX_OPSET = 23
MAX_IR_VERSION = 12
DTYPES = {
    TensorProto.FLOAT: "f32", TensorProto.DOUBLE: "f64", TensorProto.INT8: "i8", TensorProto.UINT8: "u8",
    TensorProto.INT32: "i32", TensorProto.INT64: "i64", TensorProto.BOOL: "bool",
}
# Inputs that say a shape, an axis or a position; the compiler wants them at compile time. Positions count from 0.
SHAPE_INPUTS = {
    "CenterCropPad": [1], "ConstantOfShape": [0], "CumSum": [1], "Dropout": [1, 2], "Expand": [1], "OneHot": [1],
    "Pad": [1, 3], "Range": [0, 1, 2], "ReduceL1": [1], "ReduceL2": [1], "ReduceLogSum": [1], "ReduceLogSumExp": [1],
    "ReduceMax": [1], "ReduceMean": [1], "ReduceMin": [1], "ReduceProd": [1], "ReduceSum": [1], "ReduceSumSquare": [1],
    "Reshape": [1], "Resize": [1, 2, 3], "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Tile": [1], "TopK": [1],
    "Trilu": [1], "Unsqueeze": [1], "Upsample": [1],
}
# Operators whose output shape depends on data: imported, and run by `reference` only.
DATA_DEPENDENT = {"Compress", "If", "Loop", "NonZero", "Scan", "Unique"}


class NodeCase:
    """A folder with model.onnx and test_data_set_0."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.model = onnx.load(os.path.join(folder, "model.onnx"))

    def op_types(self):
        """Every operator of the graph and its subgraphs, "domain::Name" outside the default domain."""
        found, graphs = set(), [self.model.graph]
        while graphs:
            for node in graphs.pop().node:
                found.add(node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}")
                graphs += [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
        return found

    def reason_to_skip(self, claimed_ops, target):
        """Why the case is not claimed on the target; None when it is."""
        opset = next((entry.version for entry in self.model.opset_import if entry.domain in ("", "ai.onnx")), 1)
        if opset > MAX_OPSET or self.model.ir_version > MAX_IR_VERSION:
            return f"opset above {MAX_OPSET} or IR version above {MAX_IR_VERSION}"
        if opset < MIN_OPSET:
            return f"opset below {MIN_OPSET}"
        missing = sorted(self.op_types() - claimed_ops)
        if missing:
            return f"operator not claimed: {missing[0]}"
        if target != "reference" and self.op_types() & DATA_DEPENDENT:
            return "output shape depends on data: reference only"
        return self._dtype_reason()

    def _dtype_reason(self):
        graph = self.model.graph
        for value in [*graph.input, *graph.output, *graph.value_info]:
            kind = value.type.WhichOneof("value")
            if kind != "tensor_type":
                return f"not a tensor: {kind}"
            dtype = value.type.tensor_type.elem_type
            if dtype not in DTYPES:
                return f"element type {TensorProto.DataType.Name(dtype)}"
        for tensor in graph.initializer:
            if tensor.data_type not in DTYPES:
                return f"element type {TensorProto.DataType.Name(tensor.data_type)}"
        return None

    def shape_like_inputs(self):
        names = {node.input[i] for node in self.model.graph.node for i in SHAPE_INPUTS.get(node.op_type, [])
                 if i < len(node.input)}
        # An input that also carries data (Add(x, x) of a shape) stays an input only if nothing reads it as a shape.
        return [value.name for value in self.model.graph.input if value.name in names]

    def write_bound(self, folder):
        """Writes the case to `folder` with shape-like inputs turned into initialisers; returns that folder."""
        bound = set(self.shape_like_inputs())
        data = os.path.join(folder, "test_data_set_0")
        os.makedirs(data)
        source = os.path.join(self.folder, "test_data_set_0")
        kept = []
        for value, path in zip(self.model.graph.input, numbered(source, "input")):
            if value.name in bound:
                tensor = onnx.TensorProto()
                with open(path, "rb") as file:
                    tensor.ParseFromString(file.read())
                tensor.name = value.name
                self.model.graph.initializer.append(tensor)
            else:
                shutil.copy(path, os.path.join(data, f"input_{len(kept)}.pb"))
                kept.append(value)
        for path in numbered(source, "output"):
            shutil.copy(path, data)
        del self.model.graph.input[:]
        self.model.graph.input.extend(kept)
        onnx.save(self.model, os.path.join(folder, "model.onnx"))
        return folder
