"""Wrong solutions written after the checks, without looking at them: the honest measure of what is recognised.

Each says in words what is wrong. `test_fresh_mutants.py` counts how many are refused, and how many are named.
"""

from __future__ import annotations

import math

import numpy as np

from .batch import Fresh, into

FRESH: list[Fresh] = []
fresh = into(FRESH)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@fresh("patchify", "the loops stop one patch early on both sides")
def stops_early(image, P):
    C, H, W = image.shape
    return np.array([image[:, y : y + P, x : x + P].ravel() for y in range(0, H - P, P) for x in range(0, W - P, P)])


@fresh("patchify", "channels reversed, as OpenCV has them")
def blue_first(image, P):
    C, H, W = image.shape
    return np.array([image[::-1, y : y + P, x : x + P].ravel() for y in range(0, H, P) for x in range(0, W, P)])


@fresh("patchify", "every patch is averaged to one pixel")
def pooled(image, P):
    C, H, W = image.shape
    return image.reshape(C, H // P, P, W // P, P).mean((2, 4)).reshape(C, -1).T


@fresh("patchify", "every other row of patches runs from right to left")
def snake(image, P):
    C, H, W = image.shape
    rows = []
    for i, y in enumerate(range(0, H, P)):
        line = [image[:, y : y + P, x : x + P].ravel() for x in range(0, W, P)]
        rows += line[::-1] if i % 2 else line
    return np.array(rows)


@fresh("patchify", "a list of rows instead of an array")
def list_of_rows(image, P):
    C, H, W = image.shape
    return [image[:, y : y + P, x : x + P].ravel() for y in range(0, H, P) for x in range(0, W, P)]


@fresh("patchify", "only the top left pixel of the step is taken: strides instead of patches")
def strided(image, P):
    return image[:, ::P, ::P].reshape(image.shape[0], -1).T


@fresh("patch_embedding", "half precision")
def half(patches, W_E, b_E):
    return (patches.astype(np.float16) @ W_E.astype(np.float16) + b_E).astype(np.float64)


@fresh("patch_embedding", "bias on the first token only")
def bias_once(patches, W_E, b_E):
    tokens = patches @ W_E
    tokens[0] += b_E
    return tokens


@fresh("patch_embedding", "softmax over the token")
def softmaxed(patches, W_E, b_E):
    return softmax(patches @ W_E + b_E)


@fresh("patch_embedding", "columns of the matrix brought to length 1")
def unit_columns(patches, W_E, b_E):
    return patches @ (W_E / np.linalg.norm(W_E, axis=0)) + b_E


@fresh("add_class_and_positions", "the class token is inserted after patch 0")
def at_index_one(tokens, cls, pos):
    return np.insert(tokens, 1, cls, axis=0) + pos


@fresh("add_class_and_positions", "the class token's position is added twice")
def class_position_twice(tokens, cls, pos):
    return np.vstack([cls + pos[0], tokens]) + pos


@fresh("add_class_and_positions", "sum of token and position is halved")
def halved(tokens, cls, pos):
    return (np.vstack([cls, tokens]) + pos) / 2


@fresh("add_class_and_positions", "the class token is dropped again at the end")
def dropped(tokens, cls, pos):
    return (np.vstack([cls, tokens]) + pos)[1:]


@fresh("add_class_and_positions", "the patches are in reverse order")
def reversed_patches(tokens, cls, pos):
    return np.vstack([cls, tokens[::-1]]) + pos


@fresh("attention", "a small number is added to the sum of the softmax")
def leaky(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(-1, keepdims=True))
    A = e / (e.sum(-1, keepdims=True) + 0.1)
    return A @ v, A


@fresh("attention", "a token may not look at itself")
def never_itself(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    np.fill_diagonal(s, -1e9)
    A = softmax(s)
    return A @ v, A


@fresh("attention", "sigmoid in place of softmax")
def sigmoid(q, k, v):
    A = 1 / (1 + np.exp(-q @ k.T / np.sqrt(q.shape[1])))
    return A @ v, A


@fresh("attention", "the root is rounded down to a whole number")
def floored_root(q, k, v):
    A = softmax(q @ k.T / math.isqrt(q.shape[1]))
    return A @ v, A


@fresh("attention", "distances in place of dot products")
def distances(q, k, v):
    A = softmax(-((q[:, None] - k[None]) ** 2).sum(-1) / np.sqrt(q.shape[1]))
    return A @ v, A


def heads_of(z, W_qkv, b_qkv, heads):
    return [x.reshape(len(z), heads, -1).swapaxes(0, 1) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]


@fresh("multi_head_attention", "q, k and v are every third column")
def third_columns(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    packed = z @ W_qkv + b_qkv
    q, k, v = [packed[:, i::3].reshape(T, heads, -1).swapaxes(0, 1) for i in range(3)]
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return (A @ v).swapaxes(0, 1).reshape(T, D) @ W_o + b_o


@fresh("multi_head_attention", "the output bias is added once a head")
def bias_for_each_head(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = heads_of(z, W_qkv, b_qkv, heads)
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return (A @ v).swapaxes(0, 1).reshape(T, D) @ W_o + heads * b_o


@fresh("multi_head_attention", "queries and keys changed places")
def keys_ask(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    k, q, v = heads_of(z, W_qkv, b_qkv, heads)
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return (A @ v).swapaxes(0, 1).reshape(T, D) @ W_o + b_o


@fresh("multi_head_attention", "heads are added up and repeated")
def summed_heads(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = heads_of(z, W_qkv, b_qkv, heads)
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return np.tile((A @ v).sum(0), (1, heads)) @ W_o + b_o


@fresh("multi_head_attention", "the heads attend to each other at every token, not the tokens")
def heads_attend(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = [x.reshape(T, heads, -1) for x in np.split(z @ W_qkv + b_qkv, 3, -1)]
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return (A @ v).reshape(T, D) @ W_o + b_o


@fresh("layer_norm", "epsilon is added after the division")
def added_last(x, gain, shift, eps):
    return ((x - x.mean(-1, keepdims=True)) / np.maximum(x.std(-1, keepdims=True), 1e-9) + eps) * gain + shift


@fresh("layer_norm", "epsilon is squared under the root")
def squared_epsilon(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps**2) * gain + shift


@fresh("layer_norm", "the median is subtracted")
def median(x, gain, shift, eps):
    return (x - np.median(x, -1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * gain + shift


@fresh("layer_norm", "mean 0 and values between -1 and 1: divided by the largest")
def by_largest(x, gain, shift, eps):
    c = x - x.mean(-1, keepdims=True)
    return c / (np.abs(c).max(-1, keepdims=True) + eps) * gain + shift


@fresh("layer_norm", "keepdims forgotten")
def no_keepdims(x, gain, shift, eps):
    return (x - x.mean(-1)) / np.sqrt(x.var(-1) + eps) * gain + shift


def norm(x, p, n):
    c = x - x.mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-6) * p[f"ln{n}_g"] + p[f"ln{n}_b"]


def attend(x, p, heads=None):
    T, d = x.shape
    heads = heads or p["h"]
    q, k, v = heads_of(x, p["W_qkv"], p["b_qkv"], heads)
    return (softmax(q @ k.swapaxes(1, 2) / np.sqrt(d // heads)) @ v).swapaxes(0, 1).reshape(T, d) @ p["W_o"] + p["b_o"]


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def mlp(x, p):
    return gelu(x @ p["W_1"] + p["b_1"]) @ p["W_2"] + p["b_2"]


@fresh("encoder_block", "a norm at the end of the block as well")
def normed_at_the_end(z, params):
    z = z + attend(norm(z, params, 1), params)
    return norm(z + mlp(norm(z, params, 2), params), params, 2)


@fresh("encoder_block", "the bias of the second MLP layer is missing")
def no_b_2(z, params):
    z = z + attend(norm(z, params, 1), params)
    return z + gelu(norm(z, params, 2) @ params["W_1"] + params["b_1"]) @ params["W_2"]


@fresh("encoder_block", "params['h'] is taken for the width of a head")
def heads_as_width(z, params):
    z = z + attend(norm(z, params, 1), params, z.shape[1] // params["h"])
    return z + mlp(norm(z, params, 2), params)


@fresh("encoder_block", "an activation behind attention")
def attention_activated(z, params):
    z = z + gelu(attend(norm(z, params, 1), params))
    return z + mlp(norm(z, params, 2), params)


@fresh("encoder_block", "only the class token is updated by the MLP")
def mlp_for_the_class_token(z, params):
    z = z + attend(norm(z, params, 1), params)
    out = z.copy()
    out[0] = z[0] + mlp(norm(z, params, 2), params)[0]
    return out


def parts(cfg):
    d, K, N, c = cfg["d"], cfg["n_classes"], (cfg["img"] // cfg["P"]) ** 2, int(cfg["cls_token"])
    block = 4 * d * d + 4 * d + 2 * d * cfg["d_ff"] + cfg["d_ff"] + d + 4 * d
    return [
        cfg["P"] ** 2 * cfg["C"] * d + d,
        c * d + cfg["n_registers"] * d,
        (N + c) * d,
        cfg["L"] * block,
        2 * d,
        d * K + K,
    ]


@fresh("vit_param_count", "one class too many (a background class)")
def background_class(cfg):
    return sum(parts(cfg)) + (cfg["d"] + 1 if cfg["n_classes"] else 0)


@fresh("vit_param_count", "two LayerScale vectors a block")
def layer_scale(cfg):
    return sum(parts(cfg)) + 2 * cfg["L"] * cfg["d"]


@fresh("vit_param_count", "a mask token, as DINOv2's file has one")
def mask_token(cfg):
    return sum(parts(cfg)) + cfg["d"]


@fresh("vit_param_count", "running mean and variance for each norm")
def running_statistics(cfg):
    return sum(parts(cfg)) + (2 * cfg["L"] + 1) * 2 * cfg["d"]


@fresh("vit_param_count", "query, key and value share one matrix")
def shared_qkv(cfg):
    d = cfg["d"]
    return sum(parts(cfg)) - cfg["L"] * (2 * d * d + 2 * d)


@fresh("vit_param_count", "the head for every token")
def head_for_every_token(cfg):
    N = (cfg["img"] // cfg["P"]) ** 2
    return sum(parts(cfg)) + (N - 1) * (cfg["d"] * cfg["n_classes"] + cfg["n_classes"])


def costs(cfg, res):
    d, L, N = cfg["d"], cfg["L"], (res // cfg["P"]) ** 2
    T = N + cfg["cls_token"] + cfg["n_registers"]
    return {
        "patch": N * cfg["P"] ** 2 * cfg["C"] * d,
        "linear": L * T * (4 * d * d + 2 * d * cfg["d_ff"]),
        "attention": 2 * L * T * T * d,
        "head": d * cfg["n_classes"],
    }


@fresh("vit_macs", "the total is added to itself")
def total_twice(cfg, res):
    c = costs(cfg, res)
    c["total"] = sum(c.values())
    c["total"] = sum(c.values())
    return c


@fresh("vit_macs", "the norms are counted under linear")
def norms_too(cfg, res):
    c = costs(cfg, res)
    T = (res // cfg["P"]) ** 2 + cfg["cls_token"] + cfg["n_registers"]
    c["linear"] += cfg["L"] * T * 2 * cfg["d"]
    return {**c, "total": sum(c.values())}


@fresh("vit_macs", "a patch of P pixels")
def patch_of_P(cfg, res):
    c = costs(cfg, res)
    c["patch"] //= cfg["P"]
    return {**c, "total": sum(c.values())}


@fresh("vit_macs", "half the pairs, since A is thought symmetric")
def half_the_pairs(cfg, res):
    c = costs(cfg, res)
    T = (res // cfg["P"]) ** 2 + cfg["cls_token"] + cfg["n_registers"]
    c["attention"] = cfg["L"] * T * (T + 1) * cfg["d"]
    return {**c, "total": sum(c.values())}


@fresh("vit_macs", "total left out")
def no_total(cfg, res):
    return costs(cfg, res)


def least(cfg):
    return 2 * cfg["d"] + cfg["d_ff"]


def extra(cfg):
    return cfg["cls_token"] + cfg["n_registers"]


@fresh("attention_crossover_res", "rounded to the nearest side")
def rounded(cfg):
    return max(1, round(math.sqrt(max(0, least(cfg) - extra(cfg))))) * cfg["P"]


@fresh("attention_crossover_res", "doubles the side until it is enough")
def doubling(cfg):
    side = 1
    while side * side + extra(cfg) < least(cfg):
        side *= 2
    return side * cfg["P"]


@fresh("attention_crossover_res", "a float, from math.sqrt")
def as_float(cfg):
    return float(math.ceil(math.sqrt(max(1, least(cfg) - extra(cfg)))) * cfg["P"])


@fresh("attention_crossover_res", "d_ff forgotten in the condition: T >= 2 d + 4 ")
def constant(cfg):
    return next(s for s in range(1, 10**6) if s * s + extra(cfg) >= 2 * cfg["d"] + 4) * cfg["P"]


@fresh("attention_crossover_res", "one step further than needed")
def one_further(cfg):
    return (next(s for s in range(1, 10**6) if s * s + extra(cfg) >= least(cfg)) + 1) * cfg["P"]


SECOND_BATCH = len(FRESH)
"""From here on: written after the checks had learned from the first ones."""


@fresh("patchify", "unfolded twice and reshaped, the channel axis left in front")
def unfold_without_permute(image, P):
    C, H, W = image.shape
    cut = image.reshape(C, H // P, P, W // P, P).transpose(0, 1, 3, 2, 4)
    return cut.reshape((H // P) * (W // P), C * P * P)


@fresh("patchify", "einops pattern written (p2 p1 c)")
def einops_slip(image, P):
    C, H, W = image.shape
    return image.reshape(C, H // P, P, W // P, P).transpose(1, 3, 4, 2, 0).reshape(-1, P * P * C)


@fresh("patchify", "every patch shifted by half a patch")
def half_a_patch_further(image, P):
    C, H, W = image.shape
    rolled = np.roll(image, -(P // 2), axis=(1, 2))
    return rolled.reshape(C, H // P, P, W // P, P).transpose(1, 3, 0, 2, 4).reshape(-1, C * P * P)


@fresh("patch_embedding", "the mean patch is subtracted")
def mean_patch_gone(patches, W_E, b_E):
    return (patches - patches.mean(0)) @ W_E + b_E


@fresh("patch_embedding", "the matrix is applied after a dropout of a half at training scale")
def dropout_left_on(patches, W_E, b_E):
    keep = np.random.default_rng(0).random(patches.shape) < 0.5
    return (patches * keep * 2) @ W_E + b_E


@fresh("patch_embedding", "positions by index are added")
def with_index(patches, W_E, b_E):
    return patches @ W_E + b_E + np.arange(len(patches))[:, None]


@fresh("add_class_and_positions", "the table is rolled the other way: the class token gets the last row")
def class_takes_the_last_row(tokens, cls, pos):
    return np.vstack([cls + pos[-1], tokens + pos[:-1]])


@fresh("add_class_and_positions", "the class token is added to row 0 instead of put before it")
def added_to_patch_0(tokens, cls, pos):
    z = np.vstack([np.zeros_like(cls), tokens])
    z[1] += cls
    return z + pos


@fresh("add_class_and_positions", "positions only on every second row")
def every_second(tokens, cls, pos):
    z = np.vstack([cls, tokens])
    z[::2] += pos[::2]
    return z


@fresh("attention", "the largest score of each column is subtracted, not of each row")
def wrong_maximum(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(0))
    A = e / e.sum(1, keepdims=True)
    return A @ v, A


@fresh("attention", "powers of 2 in place of e")
def base_two(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = 2.0 ** (s - s.max(1, keepdims=True))
    A = e / e.sum(1, keepdims=True)
    return A @ v, A


@fresh("attention", "the weights are rounded to two decimals")
def rounded_weights(q, k, v):
    A = np.round(softmax(q @ k.T / np.sqrt(q.shape[1])), 2)
    return A @ v, A


@fresh("attention", "only the nearest three tokens are seen")
def local(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    i = np.arange(len(q))
    s[np.abs(i[:, None] - i) > 1] = -np.inf
    A = softmax(s)
    return A @ v, A


@fresh("multi_head_attention", "all heads use the query of head 0")
def one_query(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = heads_of(z, W_qkv, b_qkv, heads)
    A = softmax(q[:1] @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return (A @ v).swapaxes(0, 1).reshape(T, D) @ W_o + b_o


@fresh("multi_head_attention", "the heads are averaged over the tokens")
def pooled_tokens(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = heads_of(z, W_qkv, b_qkv, heads)
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    out = (A @ v).swapaxes(0, 1).reshape(T, D)
    return np.broadcast_to(out.mean(0), out.shape) @ W_o + b_o


@fresh("multi_head_attention", "the bias is added before the output projection")
def bias_before(z, W_qkv, b_qkv, W_o, b_o, heads):
    T, D = z.shape
    q, k, v = heads_of(z, W_qkv, b_qkv, heads)
    A = softmax(q @ k.swapaxes(1, 2) / np.sqrt(D // heads))
    return ((A @ v).swapaxes(0, 1).reshape(T, D) + b_o) @ W_o


@fresh("layer_norm", "roots of both added: sqrt(variance) + sqrt(eps)")
def root_of_epsilon(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + np.sqrt(eps)) * gain + shift


@fresh("layer_norm", "normalised twice")
def twice(x, gain, shift, eps):
    for _ in range(2):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)
    return x * gain + shift


@fresh("layer_norm", "the gain divides")
def divided_by_gain(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) / gain + shift


@fresh("encoder_block", "the MLP is missing")
def attention_only(z, params):
    return z + attend(norm(z, params, 1), params)


@fresh("encoder_block", "the MLP reads attention's output before the sum")
def mlp_of_attention(z, params):
    a = attend(norm(z, params, 1), params)
    return z + a + mlp(norm(a, params, 2), params)


@fresh("encoder_block", "the second residual is doubled")
def doubled(z, params):
    z = z + attend(norm(z, params, 1), params)
    return 2 * z + mlp(norm(z, params, 2), params)


@fresh("encoder_block", "LayerScale of 0.1 on both parts")
def layer_scaled(z, params):
    z = z + 0.1 * attend(norm(z, params, 1), params)
    return z + 0.1 * mlp(norm(z, params, 2), params)


@fresh("vit_param_count", "a gated MLP")
def gated(cfg):
    return sum(parts(cfg)) + cfg["L"] * (cfg["d"] * cfg["d_ff"] + cfg["d_ff"])


@fresh("vit_param_count", "positions for rows and columns apart")
def two_tables(cfg):
    n = cfg["img"] // cfg["P"]
    return sum(parts(cfg)) - (n * n - 2 * n) * cfg["d"]


@fresh("vit_param_count", "the embedding's bias once a patch")
def bias_each_patch(cfg):
    return sum(parts(cfg)) + ((cfg["img"] // cfg["P"]) ** 2 - 1) * cfg["d"]


@fresh("vit_macs", "scores between tokens and patches only")
def tokens_with_patches(cfg, res):
    c, N = costs(cfg, res), (res // cfg["P"]) ** 2
    c["attention"] = 2 * cfg["L"] * (N + cfg["cls_token"] + cfg["n_registers"]) * N * cfg["d"]
    return {**c, "total": sum(c.values())}


@fresh("vit_macs", "head counted under linear as well")
def head_twice(cfg, res):
    c = costs(cfg, res)
    c["linear"] += c["head"]
    return {**c, "total": sum(c.values())}


@fresh("vit_macs", "backward pass included: three times everything")
def training_step(cfg, res):
    c = {k: 3 * v for k, v in costs(cfg, res).items()}
    return {**c, "total": sum(c.values())}


@fresh("attention_crossover_res", "the prefix is added to what is needed")
def prefix_on_the_wrong_side(cfg):
    return next(s for s in range(1, 10**6) if s * s >= least(cfg) + extra(cfg)) * cfg["P"]


@fresh("attention_crossover_res", "the embedding and the head belong to the linear part")
def with_ends(cfg):
    for s in range(1, 10**5):
        T = s * s + extra(cfg)
        other = s * s * cfg["P"] ** 2 * cfg["C"] * cfg["d"] + cfg["d"] * cfg["n_classes"]
        if cfg["L"] * 2 * T * T * cfg["d"] >= cfg["L"] * T * (4 * cfg["d"] ** 2 + 2 * cfg["d"] * cfg["d_ff"]) + other:
            return s * cfg["P"]


@fresh("attention_crossover_res", "steps of 16 px whatever P")
def steps_of_sixteen(cfg):
    res = 16
    while (res / cfg["P"]) ** 2 + extra(cfg) < least(cfg):
        res += 16
    return res
