"""Chapter 07 and what the whole block does: norm, activation, stream, answer, and single mistakes."""
