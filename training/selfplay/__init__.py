"""Self-play PPO: one shared policy plays every seat of many games, and learns from all of them."""
