"""What the notebooks are made of: a style for figures, and a tool that runs the notebooks."""
