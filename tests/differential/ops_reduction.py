"""Reductions, softmax and its kin, matrix products."""

import numpy as np

from builder import INT, NotHere
from ops_elementwise import FLOATS, NUMBERS

FLOAT_REDUCTIONS = ["ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean", "ReduceProd", "ReduceSum",
                    "ReduceSumSquare"]


def reduce(op):
    def generate(b):
        order = op in ("ReduceMax", "ReduceMin")
        types = [*NUMBERS, np.dtype("?")] if order and b.opset >= 20 else NUMBERS if order else [*FLOATS, np.dtype("i4"), INT]
        x = b.tensor(types if b.chance(0.25) else FLOATS[:1])
        axes = [int(a) for a in b.rng.permutation(x.rank)[:b.integer(0, x.rank)]]
        if b.opset >= 11:
            axes = [a - x.rank if b.chance(0.3) else a for a in axes]
        attributes = {"keepdims": b.one_of([None, 0, 1])}
        rounding = "exact" if x.dtype.kind != "f" or order else "norm" if "L" in op[6:] else "sum"
        if op in ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean") and x.dtype.kind != "f":
            raise NotHere  # how a fraction becomes whole is not defined
        as_input = b.opset >= 18 or (b.opset >= 13 and op == "ReduceSum")
        if not as_input:
            b.node(op, [x], rounding=rounding, axes=axes or None, **attributes)
            return
        noop = b.one_of([None, 0, 1]) if b.chance(0.4) else None
        operand = b.constant(axes) if axes or b.chance(0.3) else None
        b.node(op, [x, operand], rounding=rounding, noop_with_empty_axes=noop, **attributes)
    return generate


def arg_reduce(op):
    def generate(b):
        x = b.tensor(NUMBERS if b.chance(0.3) else FLOATS[:1], low=1)
        axis = b.axis(x.rank)
        b.node(op, [x], axis=axis if b.chance(0.8) else None, keepdims=b.one_of([None, 0, 1]),
               select_last_index=b.one_of([None, 0, 1]) if b.opset >= 12 else None)
    return generate


def along_axis(op):
    def generate(b):
        x = b.floats(low=1)
        b.node(op, [x], axis=b.axis(x.rank) if b.chance(0.8) else None, rounding="exact" if op == "Hardmax" else "norm")
    return generate


def matmul(b):
    types = FLOATS + [np.dtype("i4"), INT]
    a = b.tensor(types if b.chance(0.15) else FLOATS[:1], low=1)
    k = a.shape[-1]
    n = b.size()
    batch = list(b.partner_shape(a.shape[:-2])) if b.chance(0.5) else []
    shape = [k] if b.chance(0.12) else [*batch[-3:], k, n]
    same = b.existing(lambda v: v.dtype == a.dtype and v.rank >= 2 and list(v.shape[-2:]) == [k, k] and v.rank <= 3)
    c = same if same is not None and b.chance(0.4) else b.fresh(shape, a.dtype)
    operands = [a, c]
    if b.chance(0.2) and a.rank >= 2:  # the other way round
        operands = [b.fresh([*batch[-3:], n, a.shape[-2]], a.dtype), a]
    b.node("MatMul", operands, rounding="sum" if a.dtype.kind == "f" else "exact")


def gemm(b):
    a = b.tensor(FLOATS if b.chance(0.15) else FLOATS[:1], rank=2)
    trans_a, trans_b = b.integer(0, 1), b.integer(0, 1)
    m, k = a.shape[::-1] if trans_a else a.shape
    n = b.size()
    c = b.fresh([n, k] if trans_b else [k, n], a.dtype)
    addend = None
    if b.chance(0.75) or b.opset < 11:
        shape = [s if b.chance(0.7) else 1 for s in (m, n)]
        addend = b.fresh(shape[b.integer(0, 2):], a.dtype)
    b.node("Gemm", [a, c, addend], rounding="sum", transA=trans_a or None, transB=trans_b or None,
           alpha=b.one_of([None, 0.5, 2.0, 0.0]), beta=b.one_of([None, 0.5, 1.0, 0.0]))


EQUATIONS = ["ij,jk->ik", "ij,jk", "bij,bjk->bik", "i,i->", "ij->ji", "ij->i", "ii->i", "ii", "i,j->ij", "ij,ij->ij",
             "bhid,bhjd->bhij", "...ij,...jk->...ik", "bij,jk->bik", "ijk,ijl,il->kl", "ab,cd->abcd", "bijc,bj->bic",
             "a,a,a->a", "ij, jk -> ki", "...i->...", "abc,cd,de->abe", "bhij,bhjk,bhkl->bhil", "i,j,ij->", "ijk,ki->ijk",
             "ai,bi,ci->abc", "ab,bc,cd,de->ae"]


def einsum(b):
    equation = b.one_of(EQUATIONS)
    sizes, operands = {}, []
    lead = b.shape(low=0, high=2)
    for term in equation.replace(" ", "").split("->")[0].split(","):
        shape = list(lead) if "..." in term else []
        shape += [sizes.setdefault(letter, b.integer(1, 5)) for letter in term.replace("...", "")]
        same = b.existing(lambda v: v.dtype == np.dtype("f4") and list(v.shape) == shape)
        operands.append(same if same is not None and b.chance(0.6) else b.fresh(shape, np.dtype("f4")))
    b.node("Einsum", operands, rounding="sum", equation=equation)


GENERATORS = {
    **{op: reduce(op) for op in [*FLOAT_REDUCTIONS, "ReduceMax", "ReduceMin"]},
    **{op: arg_reduce(op) for op in ("ArgMax", "ArgMin")},
    **{op: along_axis(op) for op in ("Softmax", "LogSoftmax", "Hardmax")}, "Einsum": einsum, "Gemm": gemm, "MatMul": matmul,
}
