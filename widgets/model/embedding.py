"""From patches to tokens: x_p E + b (Eq. 1), as a matrix product and as a convolution; and what E could be."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from widgets.common.refusal import Refused
from widgets.model.tensor_defaults import FLOAT64, seeded


def projection_matrix(filters: Tensor) -> Tensor:
    """Turn a filter bank (D, C, P, P) into E (C*P*P, D): a column is a filter in channel-row-column order.

    Raises ValueError for anything but four dimensions.
    """
    if filters.ndim != 4:
        raise Refused(f"filters must have the shape (D, C, P, P), not {tuple(filters.shape)}")
    return filters.flatten(1).T  # (C*P*P, D)


def embed_patches(patches: Tensor, E: Tensor, b: Tensor) -> Tensor:
    """Project every patch with the same matrix: patches (..., N, C*P*P), E (C*P*P, D), b (D,) to (..., N, D).

    Raises ValueError when the rows of patches are not as long as E is high.
    """
    if patches.shape[-1] != E.shape[0]:
        raise Refused(f"patches are rows of {patches.shape[-1]} numbers, but E takes rows of {E.shape[0]}")
    return patches @ E + b  # x_p E + b


def embed_by_convolution(pixels: Tensor, filters: Tensor, b: Tensor) -> Tensor:
    """The same projection as the library writes it: a convolution that steps from patch to patch.

    pixels (B, C, H, W), filters (D, C, P, P), b (D,); returns (B, N, D). A transpose, not a reshape, brings the
    tokens to the rows: (D, h, w) already lies in memory as D rows of N.
    """
    maps = F.conv2d(pixels, filters, b, stride=filters.shape[-1])  # (B, D, h, w)
    return maps.flatten(2).transpose(1, 2)  # (B, N, D)


class Components(NamedTuple):
    """Principal components of rows: their mean (F,), unit directions (k, F), and the variance along each (k,)."""

    mean: Tensor
    directions: Tensor
    variances: Tensor
    total_variance: float

    def explained(self) -> Tensor:
        """Return the share of the variance that the first 1, 2, ... k components hold together: (k,)."""
        if self.total_variance == 0:
            return torch.ones_like(self.variances)
        return self.variances.cumsum(0) / self.total_variance

    def deviations(self) -> Tensor:
        """Return the standard deviation along each component, to divide by: (k,).

        Raises ValueError when one is nothing but rounding, which must not be blown up: a picture of few colours.
        """
        found = self.variances.sqrt()
        if found[-1] <= 1e-6 * found[0] or found[0] == 0:
            raise Refused(
                f"the patches of this picture are too alike: it has fewer than {len(found)} principal components"
            )
        return found


def principal_components(rows: Tensor, k: int) -> Components:
    """Return the first k principal components of centred rows (N, F), in float64.

    N centred rows span at most N - 1 directions. The sign of each is chosen so that its entry of largest magnitude is
    positive. Raises ValueError when rows are not (N, F), not finite, or have no k components.
    """
    if rows.ndim != 2 or len(rows) < 2:
        raise Refused(f"rows must have the shape (N, F) with N of 2 or more, not {tuple(rows.shape)}")
    rows = rows.detach().double()
    if not torch.isfinite(rows).all():
        raise Refused("rows must be finite numbers: there is a NaN or an infinity among them")
    most = min(len(rows) - 1, rows.shape[1])
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= most:
        shape = f"{len(rows)} centred rows of {rows.shape[1]} numbers"
        raise Refused(f"{shape} have 1 to {most} components, not {k!r}")
    mean = rows.mean(0)  # (F,)
    _, singular, directions = torch.linalg.svd(rows - mean, full_matrices=False)
    variances = singular**2 / (len(rows) - 1)
    return Components(mean, positive_largest(directions[:k]), variances[:k], float(variances.sum()))


def column_basis(patches: Tensor, E: Tensor) -> Components:
    """Return directions at right angles that span the columns of E (C*P*P, D), in their order, in float64.

    The first k hold what the first k columns of x_p E tell about a patch, beside the mean of the patches
    (N, C*P*P); a column that earlier ones make up adds none. So patches come back from their tokens if there are
    C*P*P directions. Raises ValueError when patches and E do not fit, or E is 0.
    """
    if patches.ndim != 2 or E.ndim != 2 or patches.shape[1] != E.shape[0]:
        raise Refused(f"patches (N, C*P*P) and E (C*P*P, D) do not fit: {tuple(patches.shape)}, {tuple(E.shape)}")
    Q, R = torch.linalg.qr(E.detach().double())
    size = R.diagonal().abs()
    if not bool((size > 0).any()):
        raise Refused("E is 0: its columns span nothing")
    directions = Q.T[size > 1e-10 * size.max()]  # (k, C*P*P)
    rows = patches.detach().double()
    mean = rows.mean(0)
    variances = ((rows - mean) @ directions.T).square().sum(0) / (len(rows) - 1)
    return Components(mean, directions, variances, float((rows - mean).square().sum() / (len(rows) - 1)))


def random_projection(row_length: int, D: int, seed: int = 0) -> Tensor:
    """Return an E of independent standard normal numbers, (row_length, D) in float64, the same for the same seed."""
    return torch.randn(row_length, D, generator=seeded(seed), **FLOAT64)


def projection_of_bytes(filters: Tensor, deviation: tuple[float, ...]) -> Tensor:
    """Return the E (C*P*P, D) that reads bytes of 0 to 255 as a model's own reads prepared pixels, but for a shift.

    The model prepares a byte as (v / 255 - mean) / deviation; the factor goes into the rows of E. filters (D, C, P, P).
    """
    factors = 1 / (255 * torch.tensor(deviation, **FLOAT64))  # (C,)
    return projection_matrix(filters.detach().double() * factors[:, None, None])


def positive_largest(rows: Tensor) -> Tensor:
    """Flip the sign of each row (k, F) where needed, so that its entry of largest magnitude is positive."""
    largest = rows.gather(1, rows.abs().argmax(1, keepdim=True))  # (k, 1)
    return torch.where(largest < 0, -rows, rows)


def patch_basis(patches: Tensor, k: int) -> Components:
    """Return the first k components of a picture's own patches (N, C*P*P): a projection without training."""
    return principal_components(patches.float() if not patches.is_floating_point() else patches, k)


def coordinates(patches: Tensor, basis: Components) -> Tensor:
    """Return each patch's coordinates in a basis: (N, C*P*P) to (N, k), in float64."""
    return (patches.double() - basis.mean) @ basis.directions.T  # (N, k)


def reconstruct(found: Tensor, basis: Components) -> Tensor:
    """Rebuild patches from their first k' <= k coordinates: (N, k') to (N, C*P*P)."""
    return found @ basis.directions[: found.shape[1]] + basis.mean  # (N, C*P*P)


def rebuild_error(patches: Tensor, rebuilt: Tensor) -> Tensor:
    """Return how far each rebuilt patch is from its own: the root of the mean square over its numbers, (N,)."""
    return (rebuilt.double() - patches.double()).square().mean(1).sqrt()
