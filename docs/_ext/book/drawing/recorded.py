"""A recorded run as plain data, no tensor and no node: what the passes did, and what the names held."""

from dataclasses import dataclass, field

ACCUMULATE = "AccumulateGrad"


@dataclass(frozen=True)
class Arrival:
    """A gradient that came to a node, and the node that sent it: None for the one that the pass starts with."""

    value: list | float | None
    sender: "Node | None" = field(repr=False)


@dataclass(frozen=True)
class Departure:
    """A gradient that a node sent, and the node that it went to."""

    value: list | float | None
    receiver: "Node" = field(repr=False)


@dataclass(eq=False)
class Node:
    """One node of a pass, as the engine ran it. Values are floats or nested lists, None where there is none.

    kind: "MulBackward0", "AccumulateGrad".
    sequence: its number, counted from the smallest of the pass; None for AccumulateGrad.
    names: of the tensors that it made, or adds for, when the pass ended.
    expression: the code that made its tensor, "" if that isn't in the snippet.
    value: of its tensor in the forward pass.
    incoming: the gradients that came, in the order of arrival.
    received: their sum in the node's buffer, as the node was given it.
    sent: what it passed on, and where to.
    before, stored: what the `.grad` of its tensor held before and after it ran, where that is filled.
    """

    kind: str
    sequence: int | None = None
    names: list[str] = field(default_factory=list)
    expression: str = ""
    value: list | float | None = None
    incoming: list[Arrival] = field(default_factory=list)
    received: list | float | None = None
    sent: list[Departure] = field(default_factory=list)
    before: list | float | None = None
    stored: list | float | None = None

    @property
    def label(self) -> str:
        """What to call it: two nodes can share a kind, but not an expression or a name."""
        return (self.names or [self.expression or self.kind])[0]


@dataclass
class Pass:
    """One backward pass. nodes: those that ran, in that order; returned: what `autograd.grad` gave back."""

    nodes: list[Node]
    returned: list = field(default_factory=list)

    def __getitem__(self, name: str) -> Node:
        """The node of the tensor of this name. Raises KeyError if it didn't run."""
        for node in self.nodes:
            if name in node.names:
                return node
        raise KeyError(f"no node of {name} ran in this pass")

    def visit(self, node: Node) -> int:
        """How many nodes had run when this one had."""
        return self.nodes.index(node) + 1


@dataclass(frozen=True)
class Held:
    """A tensor that a name holds. identity: counts the tensors in the order in which they were seen, from 0."""

    identity: int
    value: list | float | None


@dataclass(frozen=True)
class Moment:
    """What the names held after some code, or a pass within it: tensors, and the `.grad` of leaves, as "w.grad"."""

    code: str
    names: dict[str, Held | None]


@dataclass
class Recording:
    """passes: in order; moments: one whenever what the names hold has changed; outputs: as Outcome has them."""

    passes: list[Pass] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)
