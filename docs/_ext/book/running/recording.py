"""Run a snippet a second time and write down what its backward passes do. Keeps plain data only, no tensor, no node.

The engine is not asked to explain itself: hooks on the nodes note the order in which it runs them, what each
receives, and what each sends. The code is annotated, so that a node can be called by the expression that made it.
"""

import ast
import builtins
import weakref
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from unittest import mock

import torch

from book.drawing.recorded import ACCUMULATE, Arrival, Departure, Held, Moment, Node, Pass, Recording
from book.reading.snippets import Example, Snippet
from book.running import runs

LARGEST = 64  # elements; the values of larger tensors are left out: no picture could show them


def record(snippet: Snippet) -> Recording:
    """Run the snippet once more, in the same way, and record it."""
    recorder = _Recorder(snippet)
    with recorder.listening():
        outcome = runs.run(_annotated(snippet))
    recorder.recording.outputs = outcome.outputs[1::2]
    return recorder.recording


def _annotated(snippet: Snippet) -> Snippet:
    """The snippet with its expressions reported to _note, and a call of _moment before each example and at the end."""
    examples = []
    for index, example in enumerate((*snippet.examples, None)):
        report = f"_moment({index}, globals())\n"
        examples.append(Example(line=0, output_line=0, end=0, source=report, printed="", error="", ellipsis=False))
        if example:
            tree = _Annotator(example.source).visit(ast.parse(example.source))
            examples.append(replace(example, source=ast.unparse(ast.fix_missing_locations(tree)) + "\n"))
    return replace(snippet, examples=tuple(examples))


class _Annotator(ast.NodeTransformer):
    """Puts each expression that could make a tensor into a call of _note, together with its source."""

    def __init__(self, source: str):
        self.source = source

    def note(self, expression: ast.expr) -> ast.expr:
        text = ast.get_source_segment(self.source, expression)
        self.generic_visit(expression)
        return ast.Call(ast.Name("_note", ast.Load()), [ast.Constant(text), expression], [])

    visit_BinOp = visit_UnaryOp = visit_Call = note

    def visit_JoinedStr(self, text):
        return text  # Python 3.11 doesn't know where the expressions in an f-string stand


class _Recorder:
    """Listens to one run. What it keeps of a node outlives the node; tensors it refers to only weakly."""

    def __init__(self, snippet: Snippet):
        self.snippet = snippet
        self.recording = Recording()
        self.names: dict = {}
        self.code = ""
        self.made: dict[int, tuple[str, list | float | None]] = {}  # by sequence number: expression, value
        self.seen: list[weakref.ref] = []

    @contextmanager
    def listening(self):
        engine = torch.autograd._engine_run_backward
        reports = mock.patch.multiple(builtins, _note=self.note, _moment=self.moment, create=True)
        with reports, mock.patch.object(torch.autograd, "_engine_run_backward", partial(self.run, engine)):
            yield

    def note(self, expression: str, value):
        if isinstance(value, torch.Tensor) and value.grad_fn is not None:
            self.made.setdefault(value.grad_fn._sequence_nr(), (expression, _plain(value)))
        return value

    def moment(self, index: int, names: dict) -> None:
        self.names = names
        self.look()
        self.code = "".join(example.source for example in self.snippet.examples[index : index + 1]).strip()

    def look(self) -> None:
        """Note what the names hold, if that has changed."""
        held = {}
        for name, tensor in self.names.items():
            if isinstance(tensor, torch.Tensor):
                held[name] = self.held(tensor)
                if tensor.requires_grad and tensor.is_leaf or tensor.retains_grad:
                    held[f"{name}.grad"] = self.held(tensor.grad)
        if held and (not self.recording.moments or held != self.recording.moments[-1].names):
            self.recording.moments.append(Moment(self.code, held))

    def held(self, tensor: torch.Tensor | None) -> Held | None:
        if tensor is None:
            return None
        for identity, seen in enumerate(self.seen):
            if seen() is tensor:
                return Held(identity, _plain(tensor))
        self.seen.append(weakref.ref(tensor))
        return Held(len(self.seen) - 1, _plain(tensor))

    def run(self, engine, outputs, seeds, *args, **kwargs):
        """One pass, with a hook before and after each node that is reachable from the outputs."""
        roots = [_node_of(output) if isinstance(output, torch.Tensor) else output.node for output in outputs]
        nodes = _reachable(roots)
        made = Pass([])
        handles = []
        for found, node in nodes.items():
            handles.append(found.register_prehook(self.before(found, node, made)))
            handles.append(found.register_hook(self.after(found, node, nodes)))
        for root, seed in zip(roots, seeds):
            if root in nodes:
                nodes[root].incoming.append(Arrival(_plain(seed), None))
        self.recording.passes.append(made)
        try:
            result = engine(outputs, seeds, *args, **kwargs)
        finally:
            for handle in handles:
                handle.remove()
        made.returned = [_plain(gradient) for gradient in result] if not kwargs["accumulate_grad"] else []
        self.describe(nodes)
        self.look()
        return result

    def before(self, found, node: Node, made: Pass):
        def hook(received):
            made.nodes.append(node)
            node.before = _plain(found.variable.grad) if node.kind == ACCUMULATE else None
            node.received = next((_plain(gradient) for gradient in received if gradient is not None), None)

        return hook

    def after(self, found, node: Node, nodes: dict):
        def hook(sent, received):
            for (receiver, _), gradient in zip(found.next_functions, sent):
                if receiver is not None and gradient is not None:
                    node.sent.append(Departure(_plain(gradient), nodes[receiver]))
                    nodes[receiver].incoming.append(Arrival(_plain(gradient), node))
            if node.kind == ACCUMULATE:
                node.stored = _plain(found.variable.grad)

        return hook

    def describe(self, nodes: dict) -> None:
        """Say of each node of a pass what is known of the tensor behind it: its number, expression, value and names."""
        inner = {found: node for found, node in nodes.items() if node.kind != ACCUMULATE}
        smallest = min((found._sequence_nr() for found in inner), default=0)
        for found, node in nodes.items():
            if found in inner:
                node.sequence = found._sequence_nr() - smallest
                node.expression, node.value = self.made.get(found._sequence_nr(), ("", None))
            else:
                node.value = _plain(found.variable)
        for name, tensor in self.names.items():
            if isinstance(tensor, torch.Tensor) and (node := nodes.get(_node_of(tensor))):
                node.names.append(name)
                node.stored = _plain(tensor.grad) if tensor.retains_grad else node.stored


def _node_of(tensor: torch.Tensor):
    """The node that made the tensor, or that adds for it; None for a tensor that has neither."""
    try:
        return torch.autograd.graph.get_gradient_edge(tensor).node if tensor.requires_grad else None
    except AssertionError:  # a view of a leaf, made under no_grad
        return None


def _reachable(roots: list) -> dict:
    """The engine's nodes that can be reached from the roots, each with what will be known of it."""
    nodes, waiting = {}, list(roots)
    while waiting:
        found = waiting.pop()
        if found is not None and found not in nodes:
            nodes[found] = Node(found.name().removeprefix("torch::autograd::"))
            waiting.extend(receiver for receiver, _ in found.next_functions)
    return nodes


def _plain(tensor: torch.Tensor | None) -> list | float | None:
    return tensor.tolist() if tensor is not None and tensor.numel() <= LARGEST else None
