"""The bots of each game: a module of the game's name, which registers them with their names.

``agents.registry`` imports ``agents.bots.NAME`` when the agents of the game NAME are first asked
for; the module calls ``agents.registry.register_agents``. A game without a module here has the
agents that know no rules alone.
"""
