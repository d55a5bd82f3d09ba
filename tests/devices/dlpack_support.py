"""Owners of arrays that know DLPack alone, and count what they give."""

import ctypes

import numpy as np

CPU, CUDA = 1, 2
NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


class Tensor(ctypes.Structure):
    """DLTensor of the protocol."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Unversioned(ctypes.Structure):
    """DLManagedTensor of the protocol."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER))


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned of the protocol."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", _DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Owner:
    """An array on the host that is given by DLPack; other values of `fields` describe it falsely.

    versioned: which structure is given; read_only: the flag. `taken` and `freed` count.
    """

    def __init__(self, array, *, versioned=True, read_only=False, major=1, device=CPU, **fields):
        self.array, self.device, self.versioned = array, device, versioned
        self.read_only, self.major, self.fields = read_only, major, fields
        self.taken = self.freed = 0
        self.kept = []

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, *, stream=None, max_version=None):
        array, n = self.array, self.array.ndim
        managed = Versioned() if self.versioned else Unversioned()
        steps = [step // array.itemsize for step in array.strides]
        described = {
            "data": array.ctypes.data,
            "device": (ctypes.c_int32 * 2)(self.device, 0),
            "ndim": n,
            "code": CODES[array.dtype.kind],
            "bits": 8 * array.itemsize,
            "lanes": 1,
            "shape": (ctypes.c_int64 * n)(*array.shape),
            "strides": (ctypes.c_int64 * n)(*steps),
        }
        for name, value in (described | self.fields).items():
            setattr(managed.tensor, name, value)
        managed.deleter = _DELETER(self._free)
        if self.versioned:
            managed.version[0], managed.flags = self.major, int(self.read_only)
        self.taken += 1
        self.kept.append((managed, described))
        return _new(ctypes.addressof(managed), NAMES[self.versioned], None)

    def _free(self, _):
        self.freed += 1


class Older(Owner):
    """An owner of the time before versions."""

    def __init__(self, array, **fields):
        super().__init__(array, versioned=False, **fields)

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__()


class OnDevice:
    """An array on a device that is given by DLPack alone; `streams` are those that asked."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, max_version=max_version)


def on_device(values, gpu, core):
    """Return values in the memory of a device, given by DLPack alone."""
    values = np.ascontiguousarray(values)
    array = core.device_array(values.shape, values.dtype, gpu)
    array.set(values)
    return OnDevice(array)
