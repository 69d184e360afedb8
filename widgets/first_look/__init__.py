"""Chapter 00: a picture's way through a ViT, step by step."""
