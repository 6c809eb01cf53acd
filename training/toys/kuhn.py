"""Kuhn poker, and what a policy is worth in it, computed exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from jerusalem_env.errors import PositionError

from .base import NONE, Dealt, ToyGame, drawn, one_hot

CARDS = ("jack", "queen", "king")
JACK, QUEEN, KING = range(3)
CHECK, BET, FOLD, CALL = range(4)
ACTIONS = ("check", "bet", "fold", "call")
VALUE = -1 / 18  # of the game for the opener, in antes

# What may follow upon a history: (4,) bool. Histories that are not here are the end of a game.
_OPEN = np.array([True, True, False, False])  # CHECK or BET
_ANSWER = np.array([False, False, True, True])  # FOLD or CALL
_LEGAL = {(): _OPEN, (CHECK,): _OPEN, (BET,): _ANSWER, (CHECK, BET): _ANSWER}

_DEALS = tuple(permutations(range(3), 2))  # cards of places 0 and 1, equally likely
_PURPOSE_DEAL = 1


class KuhnGame(ToyGame):
    """Poker with three cards (Kuhn 1950, "A simplified two-person poker").

    Rules
        Each of two players pays 1 and gets one of a jack, a queen and a king. The opener checks or
        bets 1; upon a check the other checks or bets; upon a bet the player who has not bet folds
        or calls with 1. A fold leaves the stakes to the other; else the higher card takes them, and
        both cards are shown. Seat 0 opens. Paid is what was won or lost, in antes: 1 or 2.
    Optimum
        The opener's value is -1/18. Its optimal policies are a family of one parameter
        (``equilibrium``); the other's is unique.
    Proves
        Hidden information: the best policy draws its actions. A trainer whose policy sees both
        cards, or whose latest policy alone is taken for the answer, is far off; what self-play
        reaches is measured by ``exploitability``.
    """

    name = "kuhn_v0"
    players = 2
    action_names = ACTIONS
    longest = 3
    dealt = (Dealt("cards", (2,), JACK, KING),)

    def deal(self, states: np.ndarray, seeds: np.ndarray) -> None:
        """Draw the cards of both."""
        states["cards"] = np.array(_DEALS)[drawn(seeds, _PURPOSE_DEAL, len(_DEALS))]

    def allowed(self, states: np.ndarray) -> np.ndarray:
        """(B, 4) bool: FOLD or CALL upon a bet, else CHECK or BET."""
        facing = (states["history"] == BET).any(axis=1)
        return np.where(facing[:, None], _ANSWER, _OPEN)

    def finished(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: all end with two checks, a fold or a call."""
        history = states["history"]
        return (history >= FOLD).any(axis=1) | (history[:, :2] == CHECK).all(axis=1)

    def _shown(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: played to a comparison of the cards."""
        return self.finished(states) & ~(states["history"] == FOLD).any(axis=1)

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """(B, 2) float64 by place, in antes."""
        cards = states["cards"]
        # Whose turn it would be after a fold did not fold, so he wins.
        winners = np.where(
            self._shown(states), cards[:, 1] > cards[:, 0], self.place_to_act(states) == 1
        )
        stakes = np.where((states["history"] == CALL).any(axis=1), 2.0, 1.0)
        opener = np.where(winners == 0, stakes, -stakes)
        return np.stack([opener, -opener], axis=1)

    def hide(self, states: np.ndarray, seats: np.ndarray) -> None:
        """The opponent's card, until both are shown."""
        hidden = np.flatnonzero(~self._shown(states))
        states["cards"][hidden, 1 - self.places(states, seats)[hidden]] = NONE

    def entries(self, views: np.ndarray) -> np.ndarray:
        """(B, 20): own place (2), own card (3), the opponent's (3), the actions taken (3 x 4)."""
        places = self.places(views, np.zeros(len(views), dtype=np.int64))
        rows = np.arange(len(views))
        taken = [one_hot(views["history"][:, number], 4) for number in range(self.longest)]
        return np.concatenate(
            [
                one_hot(places, 2),
                one_hot(views["cards"][rows, places], 3),
                one_hot(views["cards"][rows, 1 - places], 3),
                *taken,
            ],
            axis=1,
        )

    def redeal(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(B,) full states: the opponent's card is one of the two others."""
        states = views.copy()
        rows, places = np.nonzero(views["cards"] == NONE)
        own = views["cards"][rows, 1 - places]
        states["cards"][rows, places] = (own + rng.integers(1, 3, len(rows))) % len(CARDS)
        return states

    def check_deal(self, state: np.void) -> None:
        """There is one card of each kind."""
        if state["cards"][0] == state["cards"][1]:
            raise PositionError(f"cards: must differ, got {state['cards'].tolist()}")

    def describe(self, state: np.void) -> str:
        """The cards, by seat."""
        cards = np.roll(state["cards"], int(state["first"]))
        names = ("?" if card == NONE else CARDS[card] for card in cards)
        return ", ".join(f"seat {seat}: {name}" for seat, name in enumerate(names))


# --- policies and what they are worth -----------------------------------------------------------
class InformationSet(NamedTuple):
    """All that a player knows at a decision.

    Attributes
    ----------
    card : int
        JACK, QUEEN or KING.
    history : tuple of int
        The actions taken by both.
    """

    card: int
    history: tuple[int, ...]

    @property
    def place(self) -> int:
        """Whose decision it is: 0 opens."""
        return len(self.history) % 2

    @property
    def legal(self) -> np.ndarray:
        """(4,) bool."""
        return _LEGAL[self.history]


# (4,) probabilities of the actions; what is illegal has 0.
Policy = Callable[[InformationSet], np.ndarray]

INFORMATION_SETS = tuple(InformationSet(card, history) for history in _LEGAL for card in range(3))


def decisions(game: KuhnGame) -> tuple[np.ndarray, np.ndarray]:
    """(12,) views of the seat to act and (12, 4) uint8 masks, in the order of INFORMATION_SETS."""
    states = game.new_states(len(INFORMATION_SETS))
    for state, known in zip(states, INFORMATION_SETS, strict=True):
        state["history"][: len(known.history)] = known.history
        state["decisions"] = len(known.history)
        state["cards"][known.place] = known.card
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    return game.views(states), masks


def from_table(probabilities: np.ndarray) -> Policy:
    """The policy that (12, 4) probabilities are, in the order of INFORMATION_SETS."""
    table = dict(zip(INFORMATION_SETS, probabilities, strict=True))
    return table.__getitem__


def uniform(known: InformationSet) -> np.ndarray:
    """Both legal actions are equally likely."""
    return known.legal / known.legal.sum()


def equilibrium(alpha: float = 0.0) -> Policy:
    """An optimal policy for both places (Kuhn 1950).

    ``alpha`` in 0..1/3 is how often the opener bets the jack; ValueError for another.
    """
    third = 1 / 3
    if not 0 <= alpha <= third:
        raise ValueError(f"alpha must be in 0..1/3, got {alpha}")
    # Probability of the bolder action, BET or CALL.
    bold: Mapping[tuple[int, ...], tuple[float, float, float]] = {
        (): (alpha, 0.0, 3 * alpha),
        (CHECK,): (third, 0.0, 1.0),
        (BET,): (0.0, third, 1.0),
        (CHECK, BET): (0.0, alpha + third, 1.0),
    }

    def play(known: InformationSet) -> np.ndarray:
        chance = bold[known.history][known.card]
        result = np.zeros(len(ACTIONS))
        result[np.flatnonzero(known.legal)] = 1 - chance, chance
        return result

    return play


def expected_value(opener: Policy, other: Policy) -> float:
    """What the opener wins on average, in antes, over all deals and all that chance can choose."""
    value = 0.0
    for cards in _DEALS:
        for history, probability in _plays(cards, (opener, other), ()):
            value += probability * _paid(cards, history) / len(_DEALS)
    return value


@cache
def _paid(cards: tuple[int, ...], history: tuple[int, ...]) -> float:
    """What the opener is paid at the end of a game."""
    game = KuhnGame()
    ended = game.new_states(1)
    ended["cards"] = cards
    ended["history"][0, : len(history)] = history
    ended["decisions"] = len(history)
    return float(game.payoffs(ended)[0, 0])


def _plays(
    cards: tuple[int, ...], policies: tuple[Policy, Policy], history: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every way that a game goes on, and its probability; those of probability 0 are left out."""
    if history not in _LEGAL:
        yield history, 1.0
        return
    place = len(history) % 2
    probabilities = policies[place](InformationSet(cards[place], history))
    for action in np.flatnonzero(probabilities):
        for whole, rest in _plays(cards, policies, (*history, int(action))):
            yield whole, float(probabilities[action]) * rest


def best_response_values(policy: Policy) -> tuple[float, float]:
    """The most that an opener, and that the other place, wins on average against a policy.

    By trying all 64 ways to choose one action at each of a place's six information sets: an
    optimum is among them.
    """
    as_opener = max(expected_value(pure, policy) for pure in _pure_policies(0))
    as_other = max(-expected_value(policy, pure) for pure in _pure_policies(1))
    return as_opener, as_other


def _pure_policies(place: int) -> Iterator[Policy]:
    """Every policy of a place that never draws."""
    own = [known for known in INFORMATION_SETS if known.place == place]
    for choices in product((0, 1), repeat=len(own)):
        table = {
            known: np.eye(len(ACTIONS))[np.flatnonzero(known.legal)[choice]]
            for known, choice in zip(own, choices, strict=True)
        }
        yield table.__getitem__


def exploitability(policy: Policy) -> float:
    """What best responses win on average over both places, in antes; 0 at an equilibrium."""
    return sum(best_response_values(policy)) / 2
