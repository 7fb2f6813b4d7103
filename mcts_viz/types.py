"""Types that many parts share, and what is a number. Knows nothing of trees and games."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Wholes: TypeAlias = npt.NDArray[np.integer]  # of any width
Numbers: TypeAlias = npt.NDArray[Any]  # of any kind

# A JSON object, or keyword arguments: what a value is depends on its name.
Document: TypeAlias = dict[str, Any]
ReadDocument: TypeAlias = Mapping[str, Any]  # that nobody changes


def signed_type(greatest: int) -> type[np.int16 | np.int32]:
    """The smaller type that holds such numbers."""
    return np.int16 if greatest <= np.iinfo(np.int16).max else np.int32


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number, of numpy's too; True and False are none."""
    # the plain case first, here and below: this is asked of every legal action of every position
    return type(value) is int or (
        isinstance(value, numbers.Integral) and not isinstance(value, bool)
    )


def is_real(value: object) -> TypeGuard[float]:
    """Whether it is a number, of numpy's too, nan among them; True and False are none."""
    return type(value) in (float, int) or (
        isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    )
