"""What is changed in the code, one small thing at a time: the mutation operators.

Texts of messages, annotations, decorators and `raise AssertionError` (faults of ours that no input reaches) are left
alone; everything else that decides something is changed.
"""

import ast
import copy
from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitOr,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """Every changed form of a node by itself; the node stays as it is."""
    if isinstance(node, ast.expr):
        yield from _expressions(node)
    elif isinstance(node, ast.comprehension):
        for at in range(len(node.ifs)):
            changed = copy.deepcopy(node)
            del changed.ifs[at]
            yield changed
    elif isinstance(node, ast.stmt):
        yield from _statements(node)


def _expressions(node: ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.Compare() | ast.BoolOp():
            yield from _compared(node) if isinstance(node, ast.Compare) else _combined(node)
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            yield ast.BinOp(left=node.left, op=_ARITHMETIC[type(node.op)](), right=node.right)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part) | ast.IfExp(body=part):
            yield part
            if isinstance(node, ast.IfExp):
                yield node.orelse
        case ast.Constant(value=int(value)):
            yield ast.Constant(value=not value if isinstance(value, bool) else value + 1)
        case ast.Call():
            yield from _called(node)
        case ast.Tuple() | ast.List() if any(isinstance(each, ast.Starred) for each in node.elts):
            yield from _shortened(node)
        case _:
            return


def _compared(node: ast.Compare) -> Iterator[ast.AST]:
    for at, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            changed = copy.deepcopy(node)
            changed.ops[at] = other()
            yield changed


def _combined(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)
    for at in range(len(node.values)):
        rest = [*node.values[:at], *node.values[at + 1 :]]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(op=node.op, values=rest)


def _called(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        changed = copy.deepcopy(node)
        changed.func = ast.Name(id=_NAMES[node.func.id], ctx=ast.Load())
        yield changed
    for at, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            changed = copy.deepcopy(node)
            del changed.keywords[at]
            yield changed


def _shortened(node: ast.Tuple | ast.List) -> Iterator[ast.AST]:
    for at in range(len(node.elts)):
        changed = copy.deepcopy(node)
        del changed.elts[at]
        yield changed


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    match node:
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Subscript()]):
            yield ast.Pass()
        case ast.Raise():
            yield ast.Pass()
        case ast.AugAssign(op=operator) if type(operator) in _ARITHMETIC:
            yield ast.AugAssign(target=node.target, op=_ARITHMETIC[type(operator)](), value=node.value)
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()
        case ast.If() | ast.While() if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
            changed = copy.deepcopy(node)
            changed.test = ast.UnaryOp(op=ast.Not(), operand=changed.test)
            yield changed
        case _:
            pass
