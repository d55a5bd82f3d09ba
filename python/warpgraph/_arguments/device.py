"""Devices: what a ``device=`` argument means, and what this machine has."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import logging
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

from warpgraph import _core
from warpgraph._arguments import foreign, hints, outputs, validate

logger = logging.getLogger("warpgraph")

#: Largest number of threads, more than any machine has cores: OpenMP ends the process if it cannot
#: start a thread.
_MAX_THREADS = 4096
#: Parts that a graph is divided into at most: max_parts of csrc/graph/partition.
MAX_PARTS = 64


#: Returns which of this many GPUs "cuda" and "auto" mean, or None: the caller has none.
ChoiceOfGpu = Callable[[int], int | None]
_choice_of_gpu: ContextVar[ChoiceOfGpu] = ContextVar("GPU", default=lambda count: 0)


class Notes:
    """Notes of plans for the call that has asked for them."""

    __slots__ = ("choices", "planned")

    def __init__(self) -> None:
        #: Choices of "auto" and "cuda:all", (name, GPUs).
        self.choices: list[tuple[str, list[str]]] = []
        #: The algorithm, the graph's handle and the plan, if the graph learns from the call.
        self.planned: tuple[str, _core.Graph, _core.Plan] | None = None


#: The notes of the call that runs in this thread.
notes_of_call: ContextVar[Notes | None] = ContextVar("notes", default=None)
#: The devices of calls in this thread, by the algorithm that was planned, if somebody watches.
_watched: ContextVar[dict[str, list[str]] | None] = ContextVar("watched", default=None)


@contextlib.contextmanager
def watched() -> Iterator[dict[str, list[str]]]:
    """Return the devices of the calls within, by algorithm; the first one is that of the call."""
    found: dict[str, list[str]] = {}
    token = _watched.set(found)
    try:
        yield found
    finally:
        _watched.reset(token)


def resolve(device: Any) -> str:
    """Return ``"cpu"`` or ``"cuda:<i>"`` for a ``device=`` argument.

    Parameters
    ----------
    device
        ``"auto"``, which is the CPU here: plans choose GPUs. ``"cpu"``, ``"cuda"``, ``"cuda:<i>"``,
        or a list with one of them; ``"cuda:all"``, of which one GPU is enough here.

    Raises
    ------
    DeviceError
        The device does not exist here. An explicit device never falls back.
    """
    if is_all(device):
        chosen = resolve("cuda")
        logger.info("device='cuda:all' chose %s: this algorithm runs on one device", chosen)
        return chosen
    given, device = device, _only(device) if isinstance(device, (list, tuple)) else device
    if not isinstance(device, str):
        raise _no_device(given)
    if not device.isascii() or not device.isprintable():  # the core accepts UTF-8 without zeros
        raise _unknown_name(device)
    if device == "auto":
        logger.info("device='auto' chose cpu: no GPU gains")
        return "cpu"
    try:
        _core.require_device(device)
    except ValueError:
        raise _unknown_name(device) from None
    if device != "cuda":
        return "cpu" if device == "cpu" else f"cuda:{int(device[5:])}"  # without leading zeros
    found = _gpu()
    if found is None:
        raise _core.DeviceError("device is 'cuda', but no GPU is reserved for this task")
    return found


@contextlib.contextmanager
def gpus_chosen_by(choice: ChoiceOfGpu) -> Iterator[None]:
    """Let "cuda" and "auto" mean GPU ``choice(number of GPUs)`` in this thread, or None."""
    token = _choice_of_gpu.set(choice)
    try:
        yield
    finally:
        _choice_of_gpu.reset(token)


def _note(device: str, chosen: list[str]) -> None:
    if (notes := notes_of_call.get()) is not None:
        notes.choices.append((device, chosen))


class Wanted(NamedTuple):
    """A ``device=`` argument, as the core's plans take it.

    The kind "named" has the devices; "auto" and "cuda:all" leave the choice to the plan, and have
    them once a plan has chosen.
    """

    kind: str
    named: list[str]


_AUTO = Wanted("auto", [])
#: The device of functions that run on the CPU only.
ON_CPU = Wanted("named", ["cpu"])


def wanted(device: Any, out: Any = None) -> Wanted:
    """Return what a ``device=`` argument says, for a result in `out`.

    If that is an array on a device, ``"auto"`` and ``"cuda:all"`` are its device, and another one,
    or several, are a ValueError. DeviceError if a device does not exist here.
    """
    if out is not None and foreign.is_on_device(out):
        if isinstance(device, (list, tuple)) and len(device) > 1:
            raise ValueError(
                f"out is an array on {foreign.device_of(out)}, but the results of several devices "
                "come to the host; pass a NumPy array, or one device instead of "
                f"{resolve_all(device)}"
            )
        return Wanted("named", [resolve_for(out, device)])
    if is_auto(device):
        return _AUTO
    if is_all(device):
        resolve("cuda")  # DeviceError if there is none
        return Wanted("cuda:all", [])
    return Wanted("named", resolve_all(device))


def one_wanted(device: Any) -> Wanted:
    """Return what a ``device=`` argument says to functions that run on one device."""
    is_list = isinstance(device, (list, tuple))
    if is_auto(_only(device) if is_list else device):
        return _AUTO
    return Wanted("named", [resolve(device)])


def gpu_of_auto() -> str | None:
    """Return the GPU that ``"auto"`` may choose, if there is one for the caller."""
    return _gpu() if _core.cuda_device_count() > 0 else None


def gpus() -> list[str]:
    """Return the GPUs that ``"cuda:all"`` may choose."""
    return devices()[1:]


def note(algorithm: str, asked: Wanted, chosen: list[str]) -> None:
    """Tell whoever watches calls what a plan chose; remember it, in case memory lacks there."""
    if (found := _watched.get()) is not None:
        found[algorithm] = chosen
    if asked.kind == "cuda:all" or (asked.kind == "auto" and chosen != ["cpu"]):
        _note(asked.kind, chosen)


def learn_from(algorithm: str, handle: _core.Graph, plan: _core.Plan) -> None:
    """Let the graph learn how long the call takes; of several plans, the first algorithm's last."""
    notes = notes_of_call.get()
    if notes is not None and (notes.planned is None or notes.planned[0] == algorithm):
        notes.planned = algorithm, handle, plan


def _gpu() -> str | None:
    number = _choice_of_gpu.get()(_core.cuda_device_count())
    return None if number is None else f"cuda:{number}"


def resolve_for(out: Any, device: Any) -> str:
    """Return the device for a result in an array on a device.

    That is ``"auto"`` and ``"cuda:all"``, and another one is a ValueError.
    """
    if is_auto(device) or is_all(device):
        return resolve(foreign.device_of(out))
    where = resolve(device)
    outputs.same_device(out, where)
    return where


def resolve_all(device: Any, *, divides: bool = True) -> list[str]:
    """Return a device for each entry of a list, and one for any other ``device=`` argument.

    Entries may repeat: ``["cpu"] * 3`` has three virtual devices. ``"cuda:all"`` has all CUDA
    devices, or one if the work cannot be divided: `divides`.

    Raises
    ------
    DeviceError
        A device does not exist here.
    """
    if is_all(device):
        chosen = _all_gpus() if divides else [resolve(device)]
        _note("cuda:all", chosen)
        return chosen
    if not isinstance(device, (list, tuple)) or not device:
        return [resolve(device)]
    return _of_list(device, MAX_PARTS)


def _of_list(names: list[Any] | tuple[Any, ...], most: int) -> list[str]:
    """Return the devices of a list, which are `most` at most."""
    if len(names) > most:
        raise ValueError(f"device names {len(names)} devices; {most} are the limit")
    for name in names:
        if is_named(name, "cuda:all") and len(names) > 1:
            raise ValueError(
                "device='cuda:all' means several GPUs, so it cannot be an entry beside others: "
                f"got the list {list(names)}; name each GPU instead"
            )
        if not isinstance(name, str):
            raise _no_device(names)
    return [resolve(name) for name in names]


def is_named(device: Any, name: str) -> bool:
    """Return whether a ``device=`` argument is `name`; TypeError if it is an array of names."""
    if not isinstance(device, str) and hasattr(device, "__array__"):
        raise _no_device(device)  # its comparison would be an array, too
    return isinstance(device, str) and device == name


def is_auto(device: Any) -> bool:
    """Return whether a ``device=`` argument leaves the device to the library."""
    return is_named(device, "auto")


def _unknown_name(device: str) -> ValueError:
    return ValueError(
        "device must be 'auto', 'cpu', 'cuda', 'cuda:<number>' or 'cuda:all', or a list such as "
        f"['cuda:0', 'cuda:1'], got {device!a}"
        f"{hints.did_you_mean(device.lower(), ('auto', 'cpu', 'cuda', 'cuda:all'))}"
    )


def _no_device(device: Any) -> TypeError:
    return TypeError(
        "device must be a string such as 'cpu' or 'cuda', or a list of such strings, "
        f"got {validate.shown(device)}"
    )


def is_all(device: Any) -> bool:
    """Return whether a ``device=`` argument means as many GPUs as pay off."""
    if isinstance(device, (list, tuple)) and len(device) == 1:
        device = device[0]
    return is_named(device, "cuda:all")


def _all_gpus() -> list[str]:
    resolve("cuda")  # DeviceError if there is none
    return gpus()


def require_cpu(device: Any, what: str) -> None:
    """Raise DeviceError if `device` is another one than the CPU, on which alone `what` runs."""
    where = resolve(device)
    if where != "cpu":
        raise _core.DeviceError(f"{what} runs on the CPU only, not on {where}; pass device='cpu'")


def fastest(devices: list[str]) -> str:
    """Return the first GPU of a list, or "cpu" if it has none."""
    return next((name for name in devices if name != "cpu"), "cpu")


def beside_cpu(device: Any) -> str | None:
    """Return the CUDA device that a list pairs with the CPU, as in ``["cpu", "cuda:0"]``, or None.

    Raises
    ------
    DeviceError
        The device does not exist here.
    """
    if not isinstance(device, (list, tuple)) or len(device) != 2:
        return None
    others = [name for name in device if not is_named(name, "cpu")]
    is_cuda = len(others) == 1 and str(others[0]).startswith("cuda")
    return resolve(others[0]) if is_cuda and others[0] != "cuda:all" else None


def endpoints(device: Any, most: int) -> list[str]:
    """Return the devices of the runtime's endpoints for a ``device=`` argument.

    ``"cpu"`` and ``"auto"`` have one on the host for each thread, but at most `most`;
    ``"cuda:all"`` has one for each CUDA device, and a list one for each entry.
    """
    if is_all(device):
        return _all_gpus()
    if isinstance(device, (list, tuple)) and device:
        return _of_list(device, _MAX_THREADS)
    name = resolve(device)
    return [name] * (min(get_num_threads(), most) if name == "cpu" else 1)


def cupy(what: str) -> Any:
    """Return CuPy. ImportError, which says what needs it, if it is not installed."""
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise ImportError(
            f"{what} are CuPy arrays: install CuPy (cupy-cuda12x or newer)"
        ) from error


def current(device: str) -> contextlib.AbstractContextManager[Any]:
    """Return what makes a CUDA device CuPy's current one, if CuPy is installed."""
    if device == "cpu" or importlib.util.find_spec("cupy") is None:
        return contextlib.nullcontext()
    chosen: contextlib.AbstractContextManager[Any] = cupy("arrays").cuda.Device(int(device[5:]))
    return chosen


def _only(devices: list[Any] | tuple[Any, ...]) -> Any:
    if len(devices) == 1:
        return devices[0]
    if not devices:
        raise ValueError("device is an empty list; name at least one device")
    raise _core.DeviceError(
        f"this algorithm runs on one device at a time, got the list {list(devices)!r}"
    )


def devices() -> list[str]:
    """Return the devices of this machine, such as ``["cpu", "cuda:0"]``.

    Functions take one of these as ``device=``, ``"cuda"`` for the first GPU, or ``"auto"``: the
    one that is expected to take less time, with the copy of the graph to a GPU. If that GPU lacks
    memory, the cores take the call, with a warning in the log; a device that is named does not fall
    back. A list, whose entries may repeat, divides the work. ``"cuda:all"`` is as many GPUs as are
    expected to take the least time, or more if one lacks memory for the whole call; functions that
    run on one device take the first. The log says how many, and why.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.devices()[0]
    'cpu'
    """
    return ["cpu", *(f"cuda:{i}" for i in range(_core.cuda_device_count()))]


def set_num_threads(n: int) -> None:
    """Let CPU algorithms use `n` threads; 0 returns to the default.

    The default is ``OMP_NUM_THREADS``, or else the number of cores this process may run on. By
    default, what synchronises its threads every few microseconds, as searches do, uses no more of
    them than there are cores on which nothing else runs. Results do not depend on it.

    Raises
    ------
    ValueError
        `n` is negative, or more than any machine has.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.set_num_threads(1)
    >>> wg.get_num_threads()
    1
    >>> wg.set_num_threads(0)
    """
    _core.set_num_threads(validate.count(n, "the number of threads", most=_MAX_THREADS))


def get_num_threads() -> int:
    """Return the number of threads that CPU algorithms use.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.get_num_threads() >= 1
    True
    """
    return _core.num_threads()
