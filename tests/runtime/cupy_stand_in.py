"""What stands for CuPy where GPUs are emulated: NumPy's functions on arrays that the runtime sends.

An array is on the host, and is copied to the device when its ``__cuda_array_interface__`` is read.
Nothing waits for streams, so the emulator must do all work at once: ``CUDA_LAUNCH_BLOCKING=1``.
"""

import contextlib
import importlib.machinery
import operator
import types

import numpy as np

from warpgraph import _core


class ndarray:  # noqa: N801  # as CuPy calls it
    """An array, of which either copy may be missing."""

    def __init__(self, host=None, there=None):
        self._host, self._there = host, there
        self.shape, self.dtype = (there if host is None else host).shape, None
        self.dtype = np.dtype((there if host is None else host).dtype)

    @property
    def host(self):
        if self._host is None:
            self._host = self._there.to_numpy()
        return self._host

    @property
    def __cuda_array_interface__(self):
        if self._there is None:
            self._there = _core.device_array(self.shape, self.dtype, "cuda:0")
            self._there.set(np.ascontiguousarray(self._host))
        return self._there.__cuda_array_interface__

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return self.host.size

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        return _there(self.host[_host(key)])

    def __setitem__(self, key, value):
        self.host[_host(key)] = _host(value)
        self._there = None

    def __bool__(self):
        return bool(self.host)

    def __int__(self):
        return int(self.host)

    __index__ = __int__

    def __invert__(self):
        return _there(~self.host)

    def get(self):
        return self.host

    def __getattr__(self, name):
        """Return a method of NumPy's array, such as min and tolist."""
        method = getattr(self.host, name)
        return _on_the_host(method)


def _host(value):
    return value.host if isinstance(value, ndarray) else value


def _there(value):
    return ndarray(np.asarray(value)) if isinstance(value, np.ndarray | np.generic) else value


def _on_the_host(function):
    def call(*args, **options):
        given = [[*map(_host, a)] if isinstance(a, list) else _host(a) for a in args]
        return _there(function(*given, **options))

    return call


_OPERATORS = "add sub mul mod floordiv rshift lshift and_ or_ eq ne lt le gt ge"
for _name in _OPERATORS.split():
    _operation = _on_the_host(getattr(operator, _name))
    _short = _name.rstrip("_")
    setattr(ndarray, f"__{_short}__", _operation)
    if _short in ("add", "sub", "mul", "and", "or", "lshift"):
        setattr(ndarray, f"__r{_short}__", lambda self, other, call=_operation: call(other, self))
ndarray.__hash__ = None


class _Module(types.ModuleType):
    ndarray = ndarray
    cuda = types.SimpleNamespace(Device=lambda number: contextlib.nullcontext())

    @staticmethod
    def empty(n, dtype):
        return ndarray(there=_core.device_array((int(n),), np.dtype(dtype), "cuda:0"))

    def __getattr__(self, name):
        return _on_the_host(getattr(np, name))


def module():
    """Return a module for ``sys.modules["cupy"]``."""
    made = _Module("cupy")
    made.__spec__ = importlib.machinery.ModuleSpec("cupy", None)
    return made
