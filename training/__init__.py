"""Training, evaluation and benchmarks."""
