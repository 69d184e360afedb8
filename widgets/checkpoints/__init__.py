"""Trained weights: fetched, checked, converted, folded and loaded. The only room that knows the hub."""
