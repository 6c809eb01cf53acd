"""Scripted players, compiled: one way of weighing a position, and a plan for every set of weights.

``weights`` names what a player can value; ``worth`` turns that into the worth of areas and squires
under the rule set in force; ``auction``, ``turn`` and ``choices`` decide by it, in playouts with
``notes``; ``proposals`` is what a search should look at; ``strategies`` holds the plans that people
play, and the ``expert``.
"""
