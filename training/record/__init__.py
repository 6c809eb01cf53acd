"""Games as tables of data: a row a decision, written as Parquet or as a Minari dataset.

>>> from jerusalem_env.games import make_game
>>> from training.record import record_games
>>> game = make_game("jerusalem", players=2)
>>> batch = next(record_games(game, ["greedy"], games=1, seed=7))
>>> batch.num_columns
148
"""

from .errors import RecordingError
from .parquet import ParquetRows, read_about, write_parquet
from .rows import record_games, rows_of_records

__all__ = [
    "ParquetRows",
    "RecordingError",
    "read_about",
    "record_games",
    "rows_of_records",
    "write_parquet",
]
