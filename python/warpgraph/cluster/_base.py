"""Base classes of estimators: scikit-learn's where it is installed, else a substitute.

scikit-learn is no dependency. Without it, estimators have the same parameters, conventions and
printed form, but no support by scikit-learn's own tools.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments.hints.other_names import Hinted
from warpgraph._arguments.new_array import Unpickled

if TYPE_CHECKING:
    from warpgraph._arguments import types


class StandIn:
    """The part of scikit-learn's BaseEstimator and ClusterMixin that users call."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> StandIn:
        """Change parameters of the constructor; return self."""
        for name, value in params.items():
            if name not in self._parameter_names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self

    def fit_predict(self, X: types.PointsOrGraph, y: object = None, **kwargs: Any) -> Any:
        """Fit to `X` and return the labels."""
        return self.fit(X, **kwargs).labels_  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled; `object` has this from Python 3.11 on."""
        return self.__dict__.copy()

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = {k: v for k, v in self.get_params().items() if v != defaults[k].default}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


class NotFittedError(ValueError, AttributeError):
    """An attribute was read that only fit() sets."""


class ConvergenceWarning(UserWarning):
    """A fit found less than it was asked for."""


def convergence_warning() -> type[UserWarning]:
    """Return scikit-learn's ConvergenceWarning where it is installed, else ours."""
    try:
        from sklearn import exceptions
    except ImportError:
        return ConvergenceWarning
    found: type[UserWarning] = exceptions.ConvergenceWarning
    return found


def bases(*, transforms: bool = False) -> tuple[type, ...]:
    """Return the classes that an estimator inherits from."""
    try:
        from sklearn import base
    except ImportError:
        return (Hinted, Unpickled, StandIn)
    transformer = (base.ClassNamePrefixFeaturesOutMixin, base.TransformerMixin)
    mixins = (*(transformer if transforms else ()), base.ClusterMixin)
    return (Hinted, Unpickled, *mixins, base.BaseEstimator)


def transformer_bases() -> tuple[type, ...]:
    """Return the classes that a transformer which is no clustering inherits from."""
    try:
        from sklearn import base
    except ImportError:
        return (Hinted, Unpickled, StandIn)
    mixins = (base.ClassNamePrefixFeaturesOutMixin, base.TransformerMixin)
    return (Hinted, Unpickled, *mixins, base.BaseEstimator)


def feature_names(X: Any) -> npt.NDArray[Any] | None:
    """Return the names of a data frame's columns if all are strings."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, object)


def require_features(estimator: Any, X: Any, n_features: int) -> None:
    """Refuse an `X` whose columns differ from those that the estimator was fitted to."""
    name, wanted = type(estimator).__name__, estimator.n_features_in_
    if n_features != wanted:
        raise ValueError(
            f"X has {n_features} features, but {name} is expecting {wanted} features as input"
        )
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        return
    validate_data(estimator, X, reset=False, skip_check_array=True)


def not_fitted(estimator: Any) -> Exception:
    """Return the error for an estimator without a fit; scikit-learn's where it is installed."""
    sentence = f"this {type(estimator).__name__} is not fitted yet; call fit first"
    try:
        from sklearn import exceptions
    except ImportError:
        return NotFittedError(sentence)
    error: Exception = exceptions.NotFittedError(sentence)
    return error
