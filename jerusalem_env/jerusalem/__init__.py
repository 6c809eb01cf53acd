"""Jerusalem (Michele Mura, 2010): rules, engine, what a seat sees, observations, positions."""
