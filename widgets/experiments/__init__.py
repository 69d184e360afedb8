"""Questions put to a checkpoint and a picture, each answered by one function and kept."""
