"""Pictures of set positions, and how a picture is compared with the one that is kept.

Rewrite them with ``python -m tests.snapshots.rewrite`` after a change that is meant, and look at
each before it is committed.
"""
