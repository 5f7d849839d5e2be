"""Meters for the memory of autograd, in bytes of tensor storage.

They know no device, and nothing of the allocator below.
"""

from inspect import currentframe
from traceback import walk_stack

from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def storages(tree, without=()) -> dict[StorageWeakRef, int]:
    """Size in bytes of each storage behind the tensors in `tree`.

    tree: tensors of any shape, nested in lists, tuples or dicts; what
    is in sets or in other objects isn't found. The keys keep nothing
    alive. NotImplementedError if one of the tensors is sparse.
    """
    tensors = [x for x in tree_leaves(tree) if isinstance(x, Tensor)]
    owned = [tensor.untyped_storage() for tensor in tensors]
    sizes = {StorageWeakRef(part): part.nbytes() for part in owned}
    return {key: n for key, n in sizes.items() if key not in without}


class SavedBytes(saved_tensors_hooks):
    """Bytes that the ops of a `with` block save for backward.

    Each storage counts whole and once; those in the list `given`
    (batch, parameters, buffers) don't count. `sizes` has the bytes of
    each, `total` their sum: what was saved, even if freed since.
    For what is saved in the block, autograd checks no overwrite.
    Other hooks set inside the block hide from it what they are given.
    """

    def __init__(self, given=()):
        super().__init__(self._pack, lambda tensor: tensor)
        self.given, self.sizes = storages(list(given)), {}

    def __enter__(self) -> "SavedBytes":
        super().__enter__()
        return self

    def _pack(self, tensor: Tensor) -> Tensor:
        self.sizes |= storages(tensor, without=self.given)
        return tensor.detach()

    @property
    def total(self) -> int:
        return sum(self.sizes.values())


class LiveBytes(TorchDispatchMode):
    """Bytes that ops made in a `with` block and that are still held.

    `samples` has one number per op, taken as the op returns, in the
    forward and in the backward pass; `now()` counts at any time.
    Slow. Not seen: `torch.tensor(...)`, storages that are resized,
    other threads, and what an op drops itself.
    """

    def __init__(self):
        super().__init__()
        self.born, self.samples = {}, []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        known = storages((args, kwargs))
        result = op(*args, **(kwargs or {}))
        self.born |= storages(result, without=known)
        self.samples.append(self.now())
        return result

    def now(self) -> int:
        sizes = self.born.items()
        return sum(n for key, n in sizes if not key.expired())


class SavedRows(TorchFunctionMode):
    """What each torch call in a `with` block saved, a row per storage.

    model: names the modules. given: as for `SavedBytes`. In `rows`
    (module, call, role, bytes, file, line). role: "input", "result",
    "input result" (in place) or "extra"; bytes: zero if an earlier row
    counts them; file and line: the innermost outside torch. A call made
    of several ops is one call. Not seen: your own Functions. Inside,
    other hooks don't act, as of checkpoints. Measure, then compile.
    """

    def __init__(self, model: nn.Module, given=()):
        super().__init__()
        self.names = {id(m): name for name, m in model.named_modules()}
        self.names[id(model)] = type(model).__name__
        self.given, self.seen, self.rows = list(given), {}, []

    def __torch_function__(self, call, types, args=(), kwargs=None):
        with SavedBytes(self.given) as saved:
            result = call(*args, **(kwargs or {}))
        ends = {"input": (args, kwargs), "result": result}
        for key, n in saved.sizes.items():
            role = " ".join(r for r in ends if key in storages(ends[r]))
            size = 0 if key in self.seen else n
            module, *place = self._asked()
            row = module, call.__name__, role or "extra", size, *place
            self.rows.append(row)
        self.seen |= saved.sizes
        return result

    def _asked(self) -> tuple[str, str, int]:
        module = place = None
        for frame, line in walk_stack(currentframe()):
            owner = id(frame.f_locals.get("self"))
            module = module or self.names.get(owner)
            package = frame.f_globals.get("__name__", "").split(".")[0]
            if package != "torch" and frame.f_locals.get("self") is not self:
                place = place or (frame.f_code.co_filename, line)
        return module or "", *place
