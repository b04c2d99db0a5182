"""Parameters are checked before a fit, and who checks types still knows what the fit takes and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context

Fit = TypeVar("Fit", bound=Callable[..., Any])


def checked(fit: Fit) -> Fit:
    """Check the parameters by scikit-learn's rules first; its own decorator has no types, and so left none to `fit`."""
    wrapped: Fit = _fit_context(prefer_skip_nested_validation=True)(fit)
    return wrapped
