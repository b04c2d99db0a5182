"""A plugin of pytest: the tests call the kernels of the library that OUTGROUP_SANITIZED names, on every level."""

import ctypes
import os

from outgroup._native import by_kernels

by_kernels._libraries = dict.fromkeys(by_kernels._libraries, ctypes.CDLL(os.environ["OUTGROUP_SANITIZED"]))
