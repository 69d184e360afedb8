"""What every widget is made of: its base, the selection, the text twin, choices of picture and model, stills, undo."""
