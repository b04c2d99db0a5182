"""The methods that the papers compare with, over plain matrices: yardsticks, not recommendations."""

from .clgr import CLGR
from .generalised import GeneralisedMMC
from .iterative_svr import IterativeSVR
from .normalised_cut import NormalisedCut
from .plsa import PLSA
from .semidefinite import SemidefiniteMMC

__all__ = ["CLGR", "PLSA", "GeneralisedMMC", "IterativeSVR", "NormalisedCut", "SemidefiniteMMC"]
