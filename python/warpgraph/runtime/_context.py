"""Endpoints of `warpgraph.runtime`, and the context that runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from warpgraph import _core
from warpgraph._arguments import device as _device, validate

if TYPE_CHECKING:
    from warpgraph._arguments import types


@dataclass(frozen=True)
class Endpoint:
    """An entity that communicates: the host, a device, or a router.

    Attributes
    ----------
    id : int
        Number of the endpoint in its context; those of devices are 0, 1, ...

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"] * 2)
    >>> [endpoint.name for endpoint in context.endpoints]
    ['endpoint 0 (cpu)', 'endpoint 1 (cpu)']
    """

    _context: Context = field(repr=False)
    id: int

    @property
    def name(self) -> str:
        """Name in error messages."""
        return str(self._context._core.name(self.id))

    @property
    def device(self) -> str:
        """The device that it is on; ``"cpu"`` for the host and for routers."""
        return self._context._core.device(self.id)

    def _of_same_context(self, id: int) -> Endpoint:
        return Endpoint(self._context, id)

    def __str__(self) -> str:
        return self.name


class HasEndpoint:
    """An end of a link that is no endpoint but has one: a router."""

    endpoint: Endpoint


class Context:
    """The runtime of one application: its endpoints, its data-flow graph, and one run of it.

    Parameters
    ----------
    devices : list of str
        Devices; each entry makes an endpoint with a thread of its own. Equal entries make virtual
        endpoints on one device. ``"cuda:all"`` makes one for each GPU.

    Attributes
    ----------
    endpoints : list of Endpoint
        The endpoints of `devices`, in this order.
    host : Endpoint
        The endpoint of the thread that calls `run`.

    Raises
    ------
    DeviceError
        A device is named that is not there.

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"])
    >>> context.run(lambda endpoint: print("on", endpoint), lambda: "from the host")
    on endpoint 0 (cpu)
    'from the host'
    """

    def __init__(self, devices: Sequence[str]) -> None:
        is_all = _device.is_named(devices, "cuda:all")
        names = devices if is_all else validate.items(devices, "devices", "devices")
        names = _device.endpoints(names, most=1)
        self._core = _core.runtime_context(names)
        self._policies: list[Callable[..., Sequence[Endpoint]]] = []
        self.endpoints = [Endpoint(self, i) for i in range(len(names))]
        self.host = Endpoint(self, len(names))

    def run(
        self,
        on_endpoint: Callable[[Endpoint], Any] | Mapping[Endpoint, Callable[[Endpoint], Any]],
        on_host: Callable[[], types.Result] | None = None,
    ) -> types.Result:
        """Run the application; return when all functions have returned.

        Parameters
        ----------
        on_endpoint : callable, or dict of callables
            ``on_endpoint(endpoint)`` is called on the thread of each endpoint; a dict has a
            function for each. When an endpoint's function returns, its links are shut down.
        on_host : callable, optional
            Called without arguments on the thread that calls `run`.

        Returns
        -------
        object
            What `on_host` returns.

        Raises
        ------
        ValueError
            The data-flow graph is not complete, a policy names an endpoint that is not there, or
            the context has run already.
        RuntimeError
            No endpoint can continue, with a sentence that says who waits for whom; or a segment
            was sent but never received.

        Notes
        -----
        If a function raises an exception, `Stopped` ends the others, and `run` raises the
        exception. Ctrl-C has the same effect, with a KeyboardInterrupt. Either way, `run` waits
        until `on_host` and long calls into other libraries have returned.
        """
        functions = self._functions(on_endpoint)
        if on_host is not None and not callable(on_host):
            raise TypeError(f"on_host must be a function, got {validate.shown(on_host)}")
        result: list[Any] = []

        def call_host() -> None:
            result.append(None if on_host is None else on_host())

        def call_endpoint(number: int) -> None:
            endpoint = self.endpoints[number]
            with _device.current(endpoint.device):
                functions[number](endpoint)

        self._core.run(call_endpoint, call_host)
        return cast("types.Result", result[0])

    def _functions(self, given: Any) -> list[Callable[[Endpoint], Any]]:
        """Return the function of each endpoint from the argument `on_endpoint`."""
        if isinstance(given, Mapping):
            for key in given:
                if key not in self.endpoints:
                    shown = key if isinstance(key, Endpoint) else validate.shown(key)
                    raise ValueError(
                        f"on_endpoint has a function for {shown}, but its keys must be endpoints "
                        "of this context"
                    )
            missing = [e for e in self.endpoints if e not in given]
            if missing:
                raise ValueError(f"on_endpoint has no function for {missing[0]}")
            functions = [given[endpoint] for endpoint in self.endpoints]
        else:
            functions = [given] * len(self.endpoints)
        for function in functions:
            if not callable(function):
                raise TypeError(f"on_endpoint must be a function, got {validate.shown(function)}")
        return functions

    def _id(self, endpoint: Any, name: str) -> int:
        """Return the number of an endpoint of this context."""
        if isinstance(endpoint, HasEndpoint):
            endpoint = endpoint.endpoint
        if not isinstance(endpoint, Endpoint):
            raise TypeError(
                f"{name} must be an endpoint or a router, got {validate.shown(endpoint)}"
            )
        if endpoint._context is not self:
            raise ValueError(f"{name} is {endpoint}, which belongs to another context")
        return endpoint.id
