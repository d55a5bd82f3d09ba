"""The peak of GPU memory that calls use: it is from the device's default pool.

What they keep with a graph for later calls is in another pool, and does not count.
"""

from __future__ import annotations

import ctypes

_USED_NOW, _USED_AT_MOST = 7, 8  # CUmemPool_attribute


class DevicePeak:
    """The peak of a device pool's allocations since construction, beyond the use at that time.

    Unused memory of the pool does not count.

    Parameters
    ----------
    device
        "cuda" or "cuda:<i>"; some work must have run there before.
    """

    def __init__(self, device: str) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._pool = ctypes.c_void_p()
        index = int(device.partition(":")[2] or 0)
        self._check(self._driver.cuDeviceGetDefaultMemPool(ctypes.byref(self._pool), index))
        self._before = self._read(_USED_NOW)
        # Setting it to zero resets the peak to the current use.
        zero = ctypes.c_uint64(0)
        set_attribute = self._driver.cuMemPoolSetAttribute
        self._check(set_attribute(self._pool, _USED_AT_MOST, ctypes.byref(zero)))

    def bytes(self) -> int:
        """Return the peak until now."""
        return self._read(_USED_AT_MOST) - self._before

    def _read(self, attribute: int) -> int:
        value = ctypes.c_uint64()
        self._check(self._driver.cuMemPoolGetAttribute(self._pool, attribute, ctypes.byref(value)))
        return value.value

    @staticmethod
    def _check(status: int) -> None:
        if status != 0:
            raise OSError(f"the CUDA driver reports error {status}")
