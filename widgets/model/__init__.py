"""The mathematics of the Vision Transformer: torch and NumPy, no Panel. Read the files in the paper's order."""
