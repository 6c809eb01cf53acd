"""Benchmarks: decisions per second, alone, beside other environments, between commits."""
