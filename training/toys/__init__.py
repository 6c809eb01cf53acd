"""Toy games with known optima: a trainer that does not find these is not to be trusted on more."""

from .kuhn import KuhnGame
from .late_reward import LateRewardGame
from .masked_steps import MaskedStepsGame
from .nim import NimGame

__all__ = ["KuhnGame", "LateRewardGame", "MaskedStepsGame", "NimGame"]
