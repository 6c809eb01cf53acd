"""The promises of the ``Game`` contract, a check each; the numbers are those of ``game.py``."""

from __future__ import annotations

import json

import numpy as np

from ..chance import sample_legal
from ..copying import bytes_of
from ..game import Game
from ..outcomes import fault_of
from .equipment import (
    MOST_DECISIONS,
    actions_for,
    dealt,
    differing_fields,
    done,
    masks_of,
    play,
    same_states,
)

BATCH = 64


def check_tables(game: Game, num_games: int, seed: int) -> None:
    """Names and sizes agree with each other."""
    assert game.players >= 2, f"players is {game.players}"
    named_actions = len(game.action_names)
    assert named_actions == game.num_actions, f"{named_actions} names, {game.num_actions} actions"
    assert len(set(game.action_names)) == game.num_actions, "two actions have the same name"
    named = [(b.start + k, name) for b in game.action_blocks for k, name in enumerate(b.names)]
    assert named == list(enumerate(game.action_names)), "action_blocks differ from action_names"
    rules = game.rules_dict()
    assert json.loads(json.dumps(rules, allow_nan=False)) == rules, "rules_dict() is no JSON"
    states, _ = dealt(game, 1, seed)
    assert states.dtype == game.state_dtype, "new_states has another dtype than state_dtype"
    assert game.views(states).dtype == game.view_dtype, "views has another dtype than view_dtype"
    assert isinstance(game.render_text(states[0]), str), "render_text gives no string"
    for seat in range(game.players):
        assert isinstance(game.render_text(states[0], seat), str), "render_text gives no string"


def check_deals(game: Game, num_games: int, seed: int) -> None:
    """Promise 2: a deal depends on its seed alone; seeds are distinct; nothing is left over."""
    seeds = game.derive_seeds(seed, BATCH, 0)
    assert len(set(seeds.tolist())) == BATCH, "promise 2: derive_seeds repeats a seed"
    other = game.derive_seeds(seed + 1, BATCH, 0)
    assert not set(seeds.tolist()) & set(other.tolist()), "promise 2: seeds share games"
    next_episode = game.derive_seeds(seed, BATCH, 1)
    assert not set(seeds.tolist()) & set(next_episode.tolist()), "promise 2: episodes share games"
    assert np.array_equal(game.derive_seeds(seed, 3, 0), seeds[:3]), (
        "promise 2: derive_seeds depends on the batch size"
    )
    fresh, fresh_masks = dealt(game, num_games, seed)
    used = play(game, num_games, seed + 1, lambda *_: None)
    masks = np.zeros_like(fresh_masks)
    game.reset(used, game.derive_seeds(seed, num_games, 0), masks)
    assert same_states(used, fresh), (
        f"promise 2: a reset leaves something over in {differing_fields(used, fresh)}"
    )
    assert np.array_equal(masks, fresh_masks), "promise 2: a reset gives another mask"


def check_play(game: Game, num_games: int, seed: int) -> None:
    """Promises 3 to 6 at every decision of random games."""

    def watch(states: np.ndarray, masks: np.ndarray, ply: int) -> None:
        at = f"ply {ply}"
        over = np.asarray(game.terminated(states))
        running = ~done(game, states)
        legal = masks.astype(np.int64).sum(axis=1)
        assert masks.max() <= 1, f"promise 3: a mask holds more than 0 and 1, {at}"
        assert (legal[running] > 0).all(), f"promise 3: a running game has no legal action, {at}"
        assert (legal[over] == 0).all(), f"promise 3: the mask of a game that is over, {at}"
        if game.skip_forced:
            assert (legal[running] > 1).all(), f"a forced decision is asked (skip_forced), {at}"
        assert np.array_equal(masks_of(game, states)[running], masks[running]), (
            f"promise 3: step and legal give different masks, {at}"
        )
        to_act = np.asarray(game.to_act(states))
        assert ((to_act >= 0) & (to_act < game.players))[running].all(), f"to_act of nobody, {at}"
        assert (to_act[over] == -1).all(), f"to_act is not -1 though the game is over, {at}"
        for seat in range(game.players):
            _bounded(game.observe(states, np.full(len(states), seat)), game.observation_size, at)
        seats = np.maximum(to_act, 0).astype(np.int64)
        seen = game.observe(states, seats)
        assert np.array_equal(game.observe(states), seen), f"observe() is not of to_act, {at}"
        assert np.array_equal(game.encode(game.views(states, seats)), seen), (
            f"encode(views) differs from observe, {at}"
        )
        out = np.full_like(seen, 7)
        game.observe(states, seats, out)
        assert np.array_equal(out, seen), f"observe(out=...) leaves entries unwritten, {at}"
        whole = np.full(seen.shape, 7, dtype=np.uint8)
        game.observe(states, seats, whole)
        assert (whole <= game.observation_caps).all(), f"promise 4: a uint8 above its cap, {at}"
        assert np.array_equal(whole * game.observation_scale, seen), (
            f"promise 4: uint8 and float32 observations differ, {at}"
        )
        _bounded(game.state_vectors(states), game.state_size, at)
        utilities = game.utilities(states)
        assert utilities.shape == (len(states), game.players), f"shape of utilities, {at}"
        assert np.abs(utilities.sum(axis=1)).max() < 1e-9, f"promise 6: not zero-sum, {at}"
        assert not utilities[~over].any(), f"promise 6: paid before the end, {at}"
        assert not game.win_shares(states)[~over].any(), f"a win before the end, {at}"

    states = play(game, num_games, seed, watch)
    ended = states[np.asarray(game.terminated(states))]
    assert len(ended), "every random game was truncated"
    paid = game.utilities(ended)
    for state, shares, utilities in zip(ended, game.win_shares(ended), paid, strict=True):
        result = game.results(state)
        assert json.loads(json.dumps(result, allow_nan=False)) == result, (
            f"results() do not survive JSON: {result}"
        )
        assert not fault_of(result, shares), fault_of(result, shares)
        _check_paid(game, shares, utilities)
    for name, labels in game.breakdowns(states).items():
        assert labels.shape == (len(states), game.players), f"breakdowns(): shape of {name!r}"
        assert labels.dtype.kind == "U", f"breakdowns(): {name!r} is {labels.dtype}, not text"


def _check_paid(game: Game, shares: np.ndarray, utilities: np.ndarray) -> None:
    """The reward ``win``, if the game has it, pays by (n,) win shares."""
    if getattr(game, "reward", None) == "win":
        expected = (game.players * shares - 1.0) / (game.players - 1.0)
        assert np.allclose(utilities, expected), (
            f"promise 6: win shares are {shares}, but the utilities {utilities}"
        )


def _bounded(vectors: np.ndarray, size: int, at: str) -> None:
    assert vectors.dtype == np.float32, f"promise 4: {vectors.dtype} instead of float32, {at}"
    assert vectors.shape[1] == size, f"promise 4: {vectors.shape[1]} entries for {size}, {at}"
    low, high = vectors.min(), vectors.max()
    assert (low, high) == (max(low, 0), min(high, 1)), f"promise 4: entries in {low}..{high}, {at}"


def check_clones(game: Game, num_games: int, seed: int) -> None:
    """Promise 1: a copy of the bytes made at any ply goes on identically and independently."""
    states, masks = dealt(game, 1, seed)
    clones = states[:0]
    plies = 0
    while not done(game, states)[0]:
        # The oldest have shown enough.
        raw = np.concatenate([bytes_of(clones)[-BATCH:], bytes_of(states)])
        clones, before = raw.view(states.dtype), states.copy()
        clone_masks = masks_of(game, clones)
        assert (clone_masks == masks).all(), f"promise 1: a copy has another mask, ply {plies}"
        action = actions_for(masks, np.zeros(1, np.int64), plies)
        game.step(clones, np.repeat(action, len(clones)), clone_masks)
        assert same_states(states, before), f"promise 1: stepping a copy, ply {plies}"
        game.step(states, action, masks)
        expected = np.repeat(bytes_of(states), len(clones)).view(states.dtype)
        if not same_states(clones, expected):
            wrong = next(i for i in range(len(clones)) if not same_states(clones[[i]], states))
            raise AssertionError(
                f"promise 1: a copy made at ply {plies + 1 - len(clones) + wrong} went another way "
                f"at ply {plies}, in {differing_fields(clones[[wrong]], states)}"
            )
        plies += 1
    assert plies > 0, "a game without a decision"


def check_batch_independence(game: Game, num_games: int, seed: int) -> None:
    """Promise 2: a game is the same alone, in a batch, and at another place of it."""
    numbers = np.arange(BATCH)
    seeds = game.derive_seeds(seed, BATCH, 0)
    batch = _played(game, seeds, numbers)
    turned = _played(game, seeds[::-1].copy(), numbers[::-1])[::-1]
    assert same_states(batch, turned), (
        f"promise 2: a game depends on its place in the batch, in {differing_fields(batch, turned)}"
    )
    for number in range(min(num_games, BATCH)):
        alone = _played(game, seeds[number : number + 1], numbers[number : number + 1])
        together = batch[number : number + 1]
        assert same_states(alone, together), (
            f"promise 2: game {number} differs alone and in a batch of {BATCH}, in "
            f"{differing_fields(alone, together)}"
        )


def _played(game: Game, seeds: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Final states of games whose actions depend on their numbers alone."""
    states = game.new_states(len(seeds))
    masks = np.zeros((len(seeds), game.num_actions), dtype=np.uint8)
    game.reset(states, seeds, masks)
    for ply in range(MOST_DECISIONS):
        if done(game, states).all():
            return states
        game.step(states, actions_for(masks, numbers, ply), masks)
    raise AssertionError(f"a random game does not end within {MOST_DECISIONS} decisions")


def check_advance(game: Game, num_games: int, seed: int) -> None:
    """``advance`` is ``step``, payment and a new deal: the fast path goes the same way."""
    states, masks = dealt(game, BATCH, seed)
    batch = game.new_batch(BATCH)
    game.reset_batch(batch, seed)
    episodes = np.zeros(BATCH, dtype=np.int64)
    rng = np.random.default_rng(seed)
    for ply in range(MOST_DECISIONS):
        actions = sample_legal(masks, rng)
        assert game.step(states, actions, masks) == -1
        assert game.advance(batch, actions) == -1, f"advance refuses a legal action, ply {ply}"
        over = np.asarray(game.terminated(states)).copy()
        stopped = np.asarray(game.truncated(states)).copy()
        assert np.array_equal(batch.rewards, game.utilities(states)), f"advance pays, ply {ply}"
        assert np.array_equal(batch.terminated, over), f"advance: terminated, ply {ply}"
        assert np.array_equal(batch.truncated, stopped), f"advance: truncated, ply {ply}"
        for row in np.flatnonzero(over | stopped):
            one = states[row : row + 1]
            assert same_states(batch.finals[row : row + 1], one), f"advance: finals, ply {ply}"
            episodes[row] += 1
            place = game.derive_seeds(seed, BATCH, int(episodes[row]))[row : row + 1]
            game.reset(one, place, masks[row : row + 1])
        assert same_states(batch.states, states), (
            f"advance differs from step and reset in {differing_fields(batch.states, states)}, "
            f"ply {ply}"
        )
        assert np.array_equal(batch.masks, masks), f"advance: masks, ply {ply}"
        assert np.array_equal(batch.observations, game.observe(states)), f"advance sees, ply {ply}"
        if episodes.min() >= 1:
            return
    raise AssertionError(f"a random game does not end within {MOST_DECISIONS} decisions")


def check_illegal(game: Game, num_games: int, seed: int) -> None:
    """Promise 7: an illegal action among legal ones changes nothing and names its game."""
    rng = np.random.default_rng(seed)

    def watch(states: np.ndarray, masks: np.ndarray, ply: int) -> None:
        running = np.flatnonzero(~done(game, states))
        if not len(running):
            return
        victim = int(running[ply % len(running)])
        illegal = np.flatnonzero(masks[victim] == 0)
        among = [int(illegal[ply % len(illegal)])] if len(illegal) else []
        for action in (-1, game.num_actions, *among):
            actions = np.maximum(sample_legal(masks, rng), 0)
            actions[victim] = action
            after, after_masks = states.copy(), masks.copy()
            named = game.step(after, actions, after_masks)
            assert named == victim, (
                f"promise 7: action {action} of game {victim} is illegal, step named {named}, "
                f"ply {ply}"
            )
            unchanged = same_states(after, states) and np.array_equal(after_masks, masks)
            assert unchanged, f"promise 7: an illegal action changed something, ply {ply}"

    play(game, num_games, seed, watch)


def check_truncation(game: Game, num_games: int, seed: int) -> None:
    """Promise 6: the watchdog truncates, pays nothing, and never terminates."""
    assert "decision_limit" in (game.state_dtype.names or ()), "state_dtype has no decision_limit"
    states, masks = dealt(game, 1, seed)
    # One more decision, which ends no game that has several.
    states["decision_limit"] = states["decisions"] + 1
    rng = np.random.default_rng(seed)
    game.step(states, sample_legal(masks, rng), masks)
    assert game.truncated(states)[0], "promise 6: the watchdog did not truncate"
    assert not game.terminated(states)[0], "promise 6: the watchdog terminated a game"
    assert not game.utilities(states).any(), "promise 6: a truncated game was paid"
    before = states.copy()
    game.step(states, np.zeros(1, dtype=np.int64), masks)
    assert same_states(states, before), "promise 6: a truncated game went on"


def check_redeal(game: Game, num_games: int, seed: int) -> None:
    """Promise 4: what a seat does not see changes neither its observation nor its mask."""
    rng = np.random.default_rng(seed)
    hides, hidden_changed = False, False

    def watch(states: np.ndarray, masks: np.ndarray, ply: int) -> None:
        nonlocal hides, hidden_changed
        to_act = np.asarray(game.to_act(states))
        for seat in range(game.players):
            seats = np.full(len(states), seat, dtype=np.int64)
            views = game.views(states, seats)
            others = game.redeal(views, rng)
            at = f"promise 4: after a redeal of what seat {seat} does not see, ply {ply}:"
            again = game.views(others, np.zeros(len(states), dtype=np.int64))
            assert same_states(again, views), f"{at} the view, {differing_fields(again, views)}"
            seen = game.observe(states, seats)
            assert np.array_equal(game.observe(others, np.zeros_like(seats)), seen), (
                f"{at} the observation"
            )
            mine = (to_act == seat) & ~done(game, states)
            assert np.array_equal(masks_of(game, others)[mine], masks[mine]), f"{at} the mask"
            if not hidden_changed:
                real = game.turn_seats(states, seat)
                hides = hides or views.dtype != real.dtype or not same_states(views, real)
                hidden_changed = game.write_position(others[0]) != game.write_position(real[0])

    play(game, num_games, seed, watch)
    # Views that are whole records hide nothing, so there is nothing to deal.
    assert hidden_changed or not hides, "redeal only ever deals what was there"


def check_hidden_chance(game: Game, num_games: int, seed: int) -> None:
    """Promise 2: no view holds a key of chance still to come, and ``redeal`` draws it afresh."""
    fields = game.hidden_chance_fields
    unknown = set(fields) - set(game.state_dtype.names or ())
    assert not unknown, f"hidden_chance_fields that state_dtype lacks: {sorted(unknown)}"
    if not fields:
        return
    shown = [field for field in fields if field in (game.view_dtype.names or ())]
    blank: dict[str, np.ndarray] = {}
    first, second = np.random.default_rng(seed), np.random.default_rng(seed + 1)

    def watch(states: np.ndarray, masks: np.ndarray, ply: int) -> None:
        going = np.flatnonzero(~done(game, states))
        for seat in range(game.players):
            views = game.views(states, np.full(len(states), seat, dtype=np.int64))
            for field in shown:
                value = blank.setdefault(field, views[field][0].copy())
                assert (views[field] == value).all(), (
                    f"promise 2: what seat {seat} sees tells of {field}, ply {ply}"
                )
            one, other = game.redeal(views, first), game.redeal(views, second)
            for field in fields:
                keys = [tuple(np.ravel(x[field][row])) for row in going for x in (one, other)]
                keys += [tuple(np.ravel(states[field][row])) for row in going]
                assert len(set(keys)) == len(keys), (
                    f"promise 2: two deals, or redeals of what seat {seat} sees, have the same "
                    f"{field}, ply {ply}"
                )

    play(game, num_games, seed, watch)


def check_seats(game: Game, num_games: int, seed: int) -> None:
    """Turning the table turns nothing in what a seat sees; rewards turn with it."""

    def watch(states: np.ndarray, masks: np.ndarray, ply: int) -> None:
        zero = np.zeros(len(states), dtype=np.int64)
        for by in range(game.players):
            turned = game.turn_seats(states, by)
            at = f"table turned by {by}, ply {ply}"
            assert np.array_equal(game.observe(turned, zero), game.observe(states, zero + by)), (
                f"another observation, {at}"
            )
            running = ~done(game, states)
            assert np.array_equal(masks_of(game, turned)[running], masks[running]), (
                f"another mask, {at}"
            )
            assert np.array_equal(
                game.utilities(turned), np.roll(game.utilities(states), -by, axis=1)
            ), f"other rewards, {at}"
            back = game.turn_seats(turned, (game.players - by) % game.players)
            assert same_states(back, states), f"turning back, {differing_fields(back, states)}"
            if running.any():
                actions = actions_for(masks, zero, ply)
                one, other = states.copy(), turned.copy()
                game.step(one, actions, masks.copy())
                game.step(other, actions, masks_of(game, other))
                assert same_states(game.turn_seats(one, by), other), (
                    f"the same action leads elsewhere, {at}, in "
                    f"{differing_fields(game.turn_seats(one, by), other)}"
                )

    play(game, num_games, seed, watch)


def check_positions(game: Game, num_games: int, seed: int) -> None:
    """A written position, through JSON and read again, is the same game and goes on the same."""
    states, masks = dealt(game, 1, seed)
    for ply in range(MOST_DECISIONS):
        position = game.write_position(states[0])
        text = json.dumps(position, allow_nan=False)
        read = game.read_position(json.loads(text))
        assert game.write_position(read[0]) == position, f"a position read and written, ply {ply}"
        if done(game, states)[0]:
            return
        read_masks = masks_of(game, read)
        assert np.array_equal(read_masks, masks), f"a position that is read, its mask, ply {ply}"
        action = actions_for(masks, np.zeros(1, np.int64), ply)
        game.step(states, action, masks)
        game.step(read, action, read_masks)
        assert game.write_position(read[0]) == game.write_position(states[0]), (
            f"a position that is read goes another way, ply {ply}"
        )
    raise AssertionError(f"a random game does not end within {MOST_DECISIONS} decisions")
