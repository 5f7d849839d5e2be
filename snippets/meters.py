"""Meters for the memory of autograd, in bytes of tensor storage.

They know no model and no device, and nothing of the allocator below.
"""

from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def storages(tree, without=()):
    """Size in bytes of each storage behind the tensors in `tree`.

    tree: tensors of any shape, nested in lists, tuples or dicts.
    The keys keep nothing alive. NotImplementedError if one is sparse.
    """
    tensors = [x for x in tree_leaves(tree) if isinstance(x, Tensor)]
    owned = [tensor.untyped_storage() for tensor in tensors]
    sizes = {StorageWeakRef(part): part.nbytes() for part in owned}
    return {key: n for key, n in sizes.items() if key not in without}


class SavedBytes(saved_tensors_hooks):
    """Bytes that the ops of a `with` block save for backward.

    Each storage counts whole and once; those of the tensors `given`
    don't count. `kept` has the size of each, `total` their sum.
    """

    def __init__(self, given=()):
        super().__init__(self._pack, lambda tensor: tensor)
        self.given, self.kept = storages(list(given)), {}

    def __enter__(self):
        super().__enter__()
        return self

    def _pack(self, tensor):
        self.kept |= storages(tensor, without=self.given)
        return tensor.detach()

    @property
    def total(self):
        return sum(self.kept.values())


class LiveBytes(TorchDispatchMode):
    """Bytes that were made in a `with` block and are still held.

    `samples` has one number per op, taken as the op returns, in the
    forward and in the backward pass; `now()` counts at any time.
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

    def now(self):
        sizes = self.born.items()
        return sum(n for key, n in sizes if not key.expired())
