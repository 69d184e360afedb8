"""Wrong ways to begin the sequence."""

from __future__ import annotations

import numpy as np

from . import mutant


@mutant("class-without-position")
def positions_for_patches_only(tokens, cls, pos):
    return np.vstack([cls, tokens + pos[1:]])


@mutant("positions-before-class")
def positions_first(tokens, cls, pos):
    tokens = tokens + pos[: len(tokens)]
    return np.concatenate([cls[None, :], tokens], axis=0)


@mutant("class-last")
def appended(tokens, cls, pos):
    return np.vstack([tokens, cls]) + pos


@mutant("side-by-side")
def concatenated(tokens, cls, pos):
    return np.hstack([np.vstack([cls, tokens]), pos])


@mutant("class-added")
def broadcast_class(tokens, cls, pos):
    return tokens + cls + pos[1:]


@mutant("one-row")
def same_row_for_all(tokens, cls, pos):
    return np.vstack([cls, tokens]) + pos[0]


@mutant("no-positions")
def no_positions(tokens, cls, pos):
    return np.vstack([cls, tokens])


@mutant("class-zeros")
def fresh_zeros(tokens, cls, pos):
    z = np.zeros_like(pos)
    z[1:] = tokens
    return z + pos


@mutant("class-replaces")
def overwrites_patch_0(tokens, cls, pos):
    z = tokens.copy()
    z[0] = cls
    return z + pos[: len(z)]


@mutant("changed-input")
def adds_in_place(tokens, cls, pos):
    pos += np.vstack([cls, tokens])
    return pos


@mutant("scaled-root")
def scaled_as_in_2017(tokens, cls, pos):
    return np.vstack([cls, tokens * np.sqrt(tokens.shape[-1])]) + pos


@mutant("positions:patches-from-row-0")
def every_patch_one_row_up(tokens, cls, pos):
    return np.vstack([cls + pos[0], tokens + pos[:-1]])


@mutant("sum:scaled-rows")
def embeddings_scaled(tokens, cls, pos):
    return np.vstack([cls, tokens]) * np.sqrt(len(cls)) + pos
