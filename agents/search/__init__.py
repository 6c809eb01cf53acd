"""Information-set Monte Carlo tree search for any game that gives a ``Simulation``.

``tree`` holds the nodes and one simulation, ``search`` spends a budget of them on the decisions at
hand, ``agent`` is the player. Nothing here knows a game's rules.
"""
