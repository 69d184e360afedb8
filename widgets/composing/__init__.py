"""Plots a reader composes in a notebook: HoloViews elements made from a pass, joined with `+` and `*`.

The widgets' own plots are Bokeh's (`parts.Plot`): redrawn through HoloViews one update takes 40 to 60 ms of processor,
and 0.3 to 0.7 ms without. These are drawn once.
"""
