"""What every room stands on: the course's data folder, typed numbers, written numbers."""
