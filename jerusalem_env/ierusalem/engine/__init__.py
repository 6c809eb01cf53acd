"""The rules as compiled functions over a structured numpy state, a file per part of a turn."""
