"""A small ray caster: convex dice in a tray under lamps, with the id of what each pixel shows.

World coordinates are millimetres, the tray's floor is z = 0. Dice are the intersection of
their face planes and a sphere (tumbled poles); normals blend near edges, which gives the
highlights that run along them. Compiled with numba: a 1280x720 tray takes a fraction of a
second on one core.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

MAX_FACES = 20
NOISE = 48
"""Period of the noise lattice."""

# Columns of the material table.
(
    M_R, M_G, M_B, M_R2, M_G2, M_B2, M_INK_R, M_INK_G, M_INK_B,
    M_PATTERN, M_SCALE, M_CONTRAST, M_SPEC, M_SHINE, M_METAL, M_CLEAR,
    M_ROUND, M_WEIGHT, M_ENGRAVE, M_REFLECT, M_SEED, M_INK_SPEC,
) = range(22)  # fmt: skip
MATERIAL_COLUMNS = 22

PLAIN, MARBLE, SPECKLE, PEARL, LAYERS = range(5)


def noise_lattice(seed: int) -> NDArray[np.float32]:
    """Random lattice of shape `(NOISE, NOISE, NOISE)`, values 0-1."""
    return np.random.default_rng(seed).random((NOISE, NOISE, NOISE), dtype=np.float32)


@njit(cache=True, fastmath=True, nogil=True)
def _noise(lattice, x, y, z):
    fx, fy, fz = math.floor(x), math.floor(y), math.floor(z)
    ix, iy, iz = int(fx) % NOISE, int(fy) % NOISE, int(fz) % NOISE
    jx, jy, jz = (ix + 1) % NOISE, (iy + 1) % NOISE, (iz + 1) % NOISE
    x -= fx
    y -= fy
    z -= fz
    x = x * x * (3 - 2 * x)
    y = y * y * (3 - 2 * y)
    z = z * z * (3 - 2 * z)
    a = lattice[ix, iy, iz] * (1 - x) + lattice[jx, iy, iz] * x
    b = lattice[ix, jy, iz] * (1 - x) + lattice[jx, jy, iz] * x
    c = lattice[ix, iy, jz] * (1 - x) + lattice[jx, iy, jz] * x
    d = lattice[ix, jy, jz] * (1 - x) + lattice[jx, jy, jz] * x
    return (a * (1 - y) + b * y) * (1 - z) + (c * (1 - y) + d * y) * z


@njit(cache=True, fastmath=True, nogil=True)
def _pattern(lattice, kind, x, y, z, scale, contrast, seed):
    """Share of the second colour at a point of the die, 0-1."""
    if kind == 0:
        return 0.0
    x = x * scale + seed
    y = y * scale + 0.37 * seed
    z = z * scale - 0.71 * seed
    if kind == 1:
        n = _noise(lattice, x, y, z) + 0.5 * _noise(lattice, 2.1 * x, 2.1 * y, 2.1 * z)
        value = 0.5 + 0.5 * math.sin(9 * n + 2.0 * x)
    elif kind == 2:
        n = _noise(lattice, 5 * x, 5 * y, 5 * z) * 0.6 + 0.4 * _noise(
            lattice, 11 * x, 11 * y, 11 * z
        )
        value = min(1.0, max(0.0, (n - 0.5) * 6 + 0.5))
    elif kind == 3:
        n = _noise(lattice, 0.6 * x, 0.6 * y, 0.6 * z)
        value = 0.5 + 0.5 * math.sin(14 * n + 5 * _noise(lattice, 1.7 * x, 1.7 * y, 1.7 * z))
        value = value * value
    else:
        n = z + 1.2 * _noise(lattice, x, y, z)
        value = 0.5 + 0.5 * math.tanh(4 * math.sin(2.2 * n))
    value = 0.5 + (value - 0.5) * contrast
    return min(1.0, max(0.0, value))


@njit(cache=True, fastmath=True, nogil=True)
def _hit_die(normals, offsets, count, sphere, ox, oy, oz, dx, dy, dz):
    """Entry and exit of a ray through a die, in its own coordinates.

    Returns `(t_in, face_in, t_out, face_out)`; face -1 is the tumbling sphere, t_in > t_out
    is a miss.
    """
    t_in, t_out = -1e30, 1e30
    face_in, face_out = -1, -1
    b = ox * dx + oy * dy + oz * dz
    c = ox * ox + oy * oy + oz * oz - sphere * sphere
    disc = b * b - c
    if disc <= 0:
        return 1.0, -1, 0.0, -1
    root = math.sqrt(disc)
    t_in, t_out = -b - root, -b + root
    for i in range(count):
        nd = normals[i, 0] * dx + normals[i, 1] * dy + normals[i, 2] * dz
        no = offsets[i] - (normals[i, 0] * ox + normals[i, 1] * oy + normals[i, 2] * oz)
        if nd < -1e-9:
            t = no / nd
            if t > t_in:
                t_in, face_in = t, i
        elif nd > 1e-9:
            t = no / nd
            if t < t_out:
                t_out, face_out = t, i
        elif no < 0:
            return 1.0, -1, 0.0, -1
        if t_in > t_out:
            return 1.0, -1, 0.0, -1
    return t_in, face_in, t_out, face_out


@njit(cache=True, fastmath=True, nogil=True)
def _ink(fields, typeface, symbol, u, v, weight, soft):
    """Ink coverage 0-1 and the slope of the field at `(u, v)` of a glyph cell, both 0-1."""
    size = fields.shape[2]
    x = u * size - 0.5
    y = v * size - 0.5
    ix, iy = math.floor(x), math.floor(y)
    if ix < 0 or iy < 0 or ix >= size - 1 or iy >= size - 1:
        return 0.0, 0.0, 0.0
    fx, fy = x - ix, y - iy
    cell = fields[typeface, symbol]
    a, b = float(cell[iy, ix]), float(cell[iy, ix + 1])
    c, d = float(cell[iy + 1, ix]), float(cell[iy + 1, ix + 1])
    value = (a * (1 - fx) + b * fx) * (1 - fy) + (c * (1 - fx) + d * fx) * fy
    gx = ((b - a) * (1 - fy) + (d - c) * fy) / 12.7
    gy = ((c - a) * (1 - fx) + (d - b) * fx) / 12.7
    distance = (value - 128.0) / 12.7 + weight
    coverage = min(1.0, max(0.0, distance / soft + 0.5))
    edge = max(0.0, 1.0 - abs(distance) / 2.5)
    return coverage, gx * edge, gy * edge


@njit(cache=True, fastmath=True, nogil=True)
def _environment(sky, dx, dy, dz):
    """Light from direction `d`: a gradient between ceiling and table with two soft boxes."""
    up = 0.5 + 0.5 * dz
    value = sky[0] + (sky[1] - sky[0]) * up
    for k in range(2):
        base = 2 + 5 * k
        near = dx * sky[base] + dy * sky[base + 1] + dz * sky[base + 2]
        edge = (near - sky[base + 3]) * 12.0
        value += sky[base + 4] / (1.0 + math.exp(-min(30.0, max(-30.0, edge))))
    return value


@njit(cache=True, fastmath=True, nogil=True)
def _blocked(
    poses, radii, kinds, normals, offsets, counts, tumbled, skip, px, py, pz, dx, dy, dz, reach
):
    """Does a die other than `skip` stand between a point and `reach` along a direction?"""
    for k in range(poses.shape[0]):
        if k == skip:
            continue
        cx, cy, cz = poses[k, 9] - px, poses[k, 10] - py, poses[k, 11] - pz
        along = cx * dx + cy * dy + cz * dz
        r = radii[k] * tumbled[k]
        if along < -r or along > reach + r:
            continue
        off = cx * cx + cy * cy + cz * cz - along * along
        if off > r * r:
            continue
        s = 1.0 / radii[k]
        ox = -(poses[k, 0] * cx + poses[k, 3] * cy + poses[k, 6] * cz) * s
        oy = -(poses[k, 1] * cx + poses[k, 4] * cy + poses[k, 7] * cz) * s
        oz = -(poses[k, 2] * cx + poses[k, 5] * cy + poses[k, 8] * cz) * s
        lx = poses[k, 0] * dx + poses[k, 3] * dy + poses[k, 6] * dz
        ly = poses[k, 1] * dx + poses[k, 4] * dy + poses[k, 7] * dz
        lz = poses[k, 2] * dx + poses[k, 5] * dy + poses[k, 8] * dz
        kind = kinds[k]
        t_in, _, t_out, _ = _hit_die(
            normals[kind], offsets[kind], counts[kind], tumbled[k], ox, oy, oz, lx, ly, lz
        )
        if t_in < t_out and t_out > 1e-6 and t_in * radii[k] < reach:
            return True
    return False


@njit(cache=True, fastmath=True, nogil=True)
def _hit_walls(tray, ox, oy, oz, dx, dy, dz):
    """Nearest of the tray's four walls (axis-aligned boxes): distance and normal, or 1e30."""
    best, nx, ny, nz = 1e30, 0.0, 0.0, 1.0
    half_x, half_y, height, thick = tray[0], tray[1], tray[2], tray[3]
    if height <= 0:
        return best, nx, ny, nz
    for k in range(4):
        if k == 0:
            x0, x1, y0, y1 = -half_x - thick, -half_x, -half_y - thick, half_y + thick
        elif k == 1:
            x0, x1, y0, y1 = half_x, half_x + thick, -half_y - thick, half_y + thick
        elif k == 2:
            x0, x1, y0, y1 = -half_x, half_x, -half_y - thick, -half_y
        else:
            x0, x1, y0, y1 = -half_x, half_x, half_y, half_y + thick
        ix = 1.0 / dx if abs(dx) > 1e-9 else 1e9
        iy = 1.0 / dy if abs(dy) > 1e-9 else 1e9
        iz = 1.0 / dz if abs(dz) > 1e-9 else 1e9
        ax, bx = (x0 - ox) * ix, (x1 - ox) * ix
        ay, by = (y0 - oy) * iy, (y1 - oy) * iy
        az, bz = (0.0 - oz) * iz, (height - oz) * iz
        tx0, tx1 = min(ax, bx), max(ax, bx)
        ty0, ty1 = min(ay, by), max(ay, by)
        tz0, tz1 = min(az, bz), max(az, bz)
        t0 = max(tx0, ty0, tz0)
        t1 = min(tx1, ty1, tz1)
        if t0 < t1 and t0 > 1e-6 and t0 < best:
            best = t0
            nx = ny = nz = 0.0
            if t0 == tx0:
                nx = -math.copysign(1.0, dx)
            elif t0 == ty0:
                ny = -math.copysign(1.0, dy)
            else:
                nz = -math.copysign(1.0, dz)
    return best, nx, ny, nz


@njit(cache=True, fastmath=True, nogil=True)
def render(
    camera, view, out, ids, poses, radii, kinds, tumbled, materials, symbols, typefaces, glyph,
    normals, offsets, centers, ups, counts, sizes, fields, lattice,
    floor, floor_scale, table, tray, wall_colour, lamps, sky, seed,
):  # fmt: skip
    """Fill `out` `(h, w, 3)` (linear light) and `ids` `(h, w)` for a window of the picture.

    `camera`: rows of the world-to-camera rotation (9), position (3), focal length, centre x, y.
    `view`: x0, y0 and pixel step of the window. `ids` is `die * 32 + face` for the
    picture's first sample, -1 for floor, -2 for wall. `glyph` per die: size, shift along up,
    turn in radians. `tray`: half width, half depth, wall height, wall thickness in mm.
    """
    height, width = ids.shape
    state = np.uint64(seed * 2654435761 + 12345)
    n_dice = poses.shape[0]
    ex, ey, ez = camera[9], camera[10], camera[11]
    f, pcx, pcy = camera[12], camera[13], camera[14]
    # Projected circles of the dice: supersample only near them.
    circles = np.empty((n_dice, 3))
    for k in range(n_dice):
        vx, vy, vz = poses[k, 9] - ex, poses[k, 10] - ey, poses[k, 11] - ez
        qx = camera[0] * vx + camera[1] * vy + camera[2] * vz
        qy = camera[3] * vx + camera[4] * vy + camera[5] * vz
        qz = camera[6] * vx + camera[7] * vy + camera[8] * vz
        circles[k, 0] = f * qx / qz + pcx
        circles[k, 1] = f * qy / qz + pcy
        circles[k, 2] = (f * radii[k] * tumbled[k] / qz * 1.12 + 1.5) ** 2
    near = np.empty(n_dice, np.int64)
    for row in range(height):
        for col in range(width):
            x0 = view[0] + (col + 0.5) * view[2]
            y0 = view[1] + (row + 0.5) * view[2]
            n_near = 0
            for k in range(n_dice):
                a, b = x0 - circles[k, 0], y0 - circles[k, 1]
                if a * a + b * b < circles[k, 2] + 2 * view[2] * view[2]:
                    near[n_near] = k
                    n_near += 1
            samples = 4 if n_near > 0 else 1
            red = green = blue = 0.0
            for sample in range(samples):
                if samples == 4:
                    sx = x0 + ((sample % 2) * 0.5 - 0.25) * view[2]
                    sy = y0 + ((sample // 2) * 0.5 - 0.25) * view[2]
                else:
                    sx, sy = x0, y0
                gx, gy, gz = (sx - pcx) / f, (sy - pcy) / f, 1.0
                dx = camera[0] * gx + camera[3] * gy + camera[6] * gz
                dy = camera[1] * gx + camera[4] * gy + camera[7] * gz
                dz = camera[2] * gx + camera[5] * gy + camera[8] * gz
                inv = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
                dx *= inv
                dy *= inv
                dz *= inv
                best = 1e30
                die, face = -1, -1
                for q in range(n_near):
                    k = near[q]
                    s = 1.0 / radii[k]
                    cx, cy, cz = ex - poses[k, 9], ey - poses[k, 10], ez - poses[k, 11]
                    ox = (poses[k, 0] * cx + poses[k, 3] * cy + poses[k, 6] * cz) * s
                    oy = (poses[k, 1] * cx + poses[k, 4] * cy + poses[k, 7] * cz) * s
                    oz = (poses[k, 2] * cx + poses[k, 5] * cy + poses[k, 8] * cz) * s
                    lx = poses[k, 0] * dx + poses[k, 3] * dy + poses[k, 6] * dz
                    ly = poses[k, 1] * dx + poses[k, 4] * dy + poses[k, 7] * dz
                    lz = poses[k, 2] * dx + poses[k, 5] * dy + poses[k, 8] * dz
                    kind = kinds[k]
                    t_in, f_in, t_out, _ = _hit_die(
                        normals[kind], offsets[kind], counts[kind], tumbled[k],
                        ox, oy, oz, lx, ly, lz,
                    )  # fmt: skip
                    if t_in < t_out and 0 < t_in * radii[k] < best:
                        best = t_in * radii[k]
                        die, face = k, f_in
                t_wall, wx, wy, wz = _hit_walls(tray, ex, ey, ez, dx, dy, dz)
                t_floor = -ez / dz if dz < -1e-6 else 1e29
                surface = 0
                if t_wall < best and t_wall < t_floor:
                    best, die, surface = t_wall, -1, 2
                elif t_floor < best:
                    best, die, surface = t_floor, -1, 1
                px, py, pz = ex + dx * best, ey + dy * best, ez + dz * best
                nx, ny, nz = 0.0, 0.0, 1.0
                r = g = b = 0.0
                spec, shine, reflect, metal = 0.0, 20.0, 0.0, 0.0
                glow_r = glow_g = glow_b = 0.0
                if die < 0:
                    if sample == 0:
                        ids[row, col] = -1 if surface == 1 else -2
                    if surface == 1:
                        inside = abs(px) < tray[0] and abs(py) < tray[1]
                        texture = floor if inside else table
                        scale = floor_scale[0] if inside else floor_scale[1]
                        size = texture.shape[0]
                        tx, ty = px * scale + 1000.0 * size, 1000.0 * size - py * scale
                        ix, iy = int(tx), int(ty)
                        fx, fy = tx - ix, ty - iy
                        ix0, iy0 = ix % size, iy % size
                        ix1, iy1 = (ix + 1) % size, (iy + 1) % size
                        w00, w10 = (1 - fx) * (1 - fy), fx * (1 - fy)
                        w01, w11 = (1 - fx) * fy, fx * fy
                        r = (
                            texture[iy0, ix0, 0] * w00
                            + texture[iy0, ix1, 0] * w10
                            + texture[iy1, ix0, 0] * w01
                            + texture[iy1, ix1, 0] * w11
                        )
                        g = (
                            texture[iy0, ix0, 1] * w00
                            + texture[iy0, ix1, 1] * w10
                            + texture[iy1, ix0, 1] * w01
                            + texture[iy1, ix1, 1] * w11
                        )
                        b = (
                            texture[iy0, ix0, 2] * w00
                            + texture[iy0, ix1, 2] * w10
                            + texture[iy1, ix0, 2] * w01
                            + texture[iy1, ix1, 2] * w11
                        )
                        spec, shine = floor_scale[2], 30.0
                    else:
                        nx, ny, nz = wx, wy, wz
                        r, g, b = wall_colour[0], wall_colour[1], wall_colour[2]
                        spec = 0.1
                else:
                    if sample == 0:
                        ids[row, col] = die * 32 + max(face, 0)
                    kind = kinds[die]
                    m = materials[die]
                    s = 1.0 / radii[die]
                    cx, cy, cz = px - poses[die, 9], py - poses[die, 10], pz - poses[die, 11]
                    qx = (poses[die, 0] * cx + poses[die, 3] * cy + poses[die, 6] * cz) * s
                    qy = (poses[die, 1] * cx + poses[die, 4] * cy + poses[die, 7] * cz) * s
                    qz = (poses[die, 2] * cx + poses[die, 5] * cy + poses[die, 8] * cz) * s
                    ax = ay = az = 0.0
                    for i in range(counts[kind]):
                        depth = (
                            normals[kind, i, 0] * qx + normals[kind, i, 1] * qy
                            + normals[kind, i, 2] * qz - offsets[kind, i]
                        )  # fmt: skip
                        w = math.exp(max(-40.0, depth / m[M_ROUND]))
                        ax += w * normals[kind, i, 0]
                        ay += w * normals[kind, i, 1]
                        az += w * normals[kind, i, 2]
                    if face < 0:
                        ax += 3 * qx
                        ay += 3 * qy
                        az += 3 * qz
                    coverage = 0.0
                    if face >= 0:
                        ux, uy, uz = ups[kind, face, 0], ups[kind, face, 1], ups[kind, face, 2]
                        fnx, fny, fnz = (
                            normals[kind, face, 0], normals[kind, face, 1], normals[kind, face, 2],
                        )  # fmt: skip
                        rx, ry, rz = uy * fnz - uz * fny, uz * fnx - ux * fnz, ux * fny - uy * fnx
                        hx = qx - centers[kind, face, 0]
                        hy = qy - centers[kind, face, 1]
                        hz = qz - centers[kind, face, 2]
                        along = hx * ux + hy * uy + hz * uz - glyph[die, 1]
                        side = hx * rx + hy * ry + hz * rz
                        cs, sn = math.cos(glyph[die, 2]), math.sin(glyph[die, 2])
                        side, along = side * cs - along * sn, side * sn + along * cs
                        # A cell is 64/38 digit heights across.
                        cell = glyph[die, 0] * sizes[kind] * 2.0 * 64.0 / 38.0
                        soft = 1.2
                        coverage, ex2, ey2 = _ink(
                            fields, typefaces[die], symbols[die, face],
                            0.5 + side / (cell * glyph[die, 3]), 0.5 - along / cell,
                            m[M_WEIGHT], soft,
                        )  # fmt: skip
                        push = m[M_ENGRAVE]
                        ax += push * (ex2 * rx - ey2 * ux)
                        ay += push * (ex2 * ry - ey2 * uy)
                        az += push * (ex2 * rz - ey2 * uz)
                    share = _pattern(
                        lattice, int(m[M_PATTERN]), qx, qy, qz, m[M_SCALE], m[M_CONTRAST],
                        m[M_SEED],
                    )  # fmt: skip
                    r = m[M_R] + (m[M_R2] - m[M_R]) * share
                    g = m[M_G] + (m[M_G2] - m[M_G]) * share
                    b = m[M_B] + (m[M_B2] - m[M_B]) * share
                    if m[M_CLEAR] > 0:
                        # Look through: refract a little, find the far side and its digit.
                        lx = poses[die, 0] * dx + poses[die, 3] * dy + poses[die, 6] * dz
                        ly = poses[die, 1] * dx + poses[die, 4] * dy + poses[die, 7] * dz
                        lz = poses[die, 2] * dx + poses[die, 5] * dy + poses[die, 8] * dz
                        il = 1.0 / math.sqrt(ax * ax + ay * ay + az * az)
                        bend = 0.4
                        lx -= bend * ax * il
                        ly -= bend * ay * il
                        lz -= bend * az * il
                        il = 1.0 / math.sqrt(lx * lx + ly * ly + lz * lz)
                        lx *= il
                        ly *= il
                        lz *= il
                        _, _, t_out, f_out = _hit_die(
                            normals[kind], offsets[kind], counts[kind], tumbled[die],
                            qx, qy, qz, lx, ly, lz,
                        )  # fmt: skip
                        thick = min(2.5, max(0.0, t_out))
                        back = 0.0
                        shade = 0.6
                        if f_out >= 0:
                            bx, by, bz = qx + lx * t_out, qy + ly * t_out, qz + lz * t_out
                            ux, uy, uz = (
                                ups[kind, f_out, 0],
                                ups[kind, f_out, 1],
                                ups[kind, f_out, 2],
                            )
                            fnx, fny, fnz = (
                                normals[kind, f_out, 0], normals[kind, f_out, 1],
                                normals[kind, f_out, 2],
                            )  # fmt: skip
                            rx, ry, rz = (
                                uy * fnz - uz * fny, uz * fnx - ux * fnz, ux * fny - uy * fnx,
                            )  # fmt: skip
                            hx = bx - centers[kind, f_out, 0]
                            hy = by - centers[kind, f_out, 1]
                            hz = bz - centers[kind, f_out, 2]
                            cell = glyph[die, 0] * sizes[kind] * 2.0 * 64.0 / 38.0
                            back, _, _ = _ink(
                                fields, typefaces[die], symbols[die, f_out],
                                0.5 + (hx * rx + hy * ry + hz * rz) / (cell * glyph[die, 3]),
                                0.5 - (hx * ux + hy * uy + hz * uz - glyph[die, 1]) / cell,
                                m[M_WEIGHT], 3.0,
                            )  # fmt: skip
                            wz2 = poses[die, 6] * fnx + poses[die, 7] * fny + poses[die, 8] * fnz
                            shade = 0.55 + 0.45 * abs(wz2) + 0.5 * max(0.0, -0.3 - wz2)
                        dim = math.exp(-0.45 * thick)
                        clear = m[M_CLEAR]
                        back *= 0.75 * clear * dim
                        level = (0.55 + 0.9 * dim) * shade
                        r = r * (1 - clear) + clear * level * (r * (1 - back) + back * m[M_INK_R])
                        g = g * (1 - clear) + clear * level * (g * (1 - back) + back * m[M_INK_G])
                        b = b * (1 - clear) + clear * level * (b * (1 - back) + back * m[M_INK_B])
                    spec, shine, reflect, metal = (
                        m[M_SPEC], m[M_SHINE], m[M_REFLECT], m[M_METAL],
                    )  # fmt: skip
                    if m[M_PATTERN] == 3.0:
                        glow = 0.35 * share * spec
                        glow_r, glow_g, glow_b = glow * m[M_R2], glow * m[M_G2], glow * m[M_B2]
                    if coverage > 0:
                        r = r * (1 - coverage) + m[M_INK_R] * coverage
                        g = g * (1 - coverage) + m[M_INK_G] * coverage
                        b = b * (1 - coverage) + m[M_INK_B] * coverage
                        keep = 1 - coverage * (1 - m[M_INK_SPEC])
                        spec *= keep
                        reflect *= keep
                        metal *= 1 - coverage
                    nx = poses[die, 0] * ax + poses[die, 1] * ay + poses[die, 2] * az
                    ny = poses[die, 3] * ax + poses[die, 4] * ay + poses[die, 5] * az
                    nz = poses[die, 6] * ax + poses[die, 7] * ay + poses[die, 8] * az
                    il = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
                    nx *= il
                    ny *= il
                    nz *= il
                # Ambient light, darker near the foot of dice and in corners.
                occlusion = 1.0
                if die < 0 or pz < 8.0:
                    for k in range(n_dice):
                        if k == die:
                            continue
                        cx, cy = poses[k, 9] - px, poses[k, 10] - py
                        q2 = (cx * cx + cy * cy) / (radii[k] * radii[k])
                        if q2 < 9.0:
                            occlusion *= 1.0 - 0.55 * math.exp(-q2 * 0.75)
                if die >= 0:
                    occlusion *= 0.6 + 0.4 * min(1.0, max(0.0, 0.5 + 0.5 * nz + pz / 30.0))
                elif tray[2] > 0 and surface == 1:
                    gap = min(tray[0] - abs(px), tray[1] - abs(py))
                    if gap > 0:
                        occlusion *= 1.0 - 0.4 * math.exp(-gap / (0.5 * tray[2]))
                ambient = _environment(sky, nx, ny, nz) * occlusion
                light_r = ambient * sky[12]
                light_g = ambient * sky[13]
                light_b = ambient * sky[14]
                shine_r = shine_g = shine_b = 0.0
                for q in range(lamps.shape[0]):
                    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                    u1 = float((state >> np.uint64(40)) & np.uint64(0xFFFF)) / 65536.0 - 0.5
                    u2 = float((state >> np.uint64(20)) & np.uint64(0xFFFF)) / 65536.0 - 0.5
                    u3 = float((state >> np.uint64(8)) & np.uint64(0xFFF)) / 4096.0 - 0.5
                    tx = lamps[q, 0] + 2 * lamps[q, 3] * u1 - px
                    ty = lamps[q, 1] + 2 * lamps[q, 3] * u2 - py
                    tz = lamps[q, 2] + 2 * lamps[q, 3] * u3 - pz
                    reach = math.sqrt(tx * tx + ty * ty + tz * tz)
                    tx /= reach
                    ty /= reach
                    tz /= reach
                    lit = nx * tx + ny * ty + nz * tz
                    if lit <= 0:
                        continue
                    if _blocked(
                        poses, radii, kinds, normals, offsets, counts, tumbled, die,
                        px + nx * 0.05, py + ny * 0.05, pz + nz * 0.05, tx, ty, tz, reach,
                    ):  # fmt: skip
                        continue
                    t_wall, _, _, _ = _hit_walls(
                        tray, px + nx * 0.05, py + ny * 0.05, pz + nz * 0.05, tx, ty, tz
                    )
                    if t_wall < reach:
                        continue
                    light_r += lit * lamps[q, 4]
                    light_g += lit * lamps[q, 5]
                    light_b += lit * lamps[q, 6]
                    hx, hy, hz = tx - dx, ty - dy, tz - dz
                    il = 1.0 / math.sqrt(hx * hx + hy * hy + hz * hz)
                    half = max(0.0, (nx * hx + ny * hy + nz * hz) * il)
                    gloss = spec * half**shine
                    shine_r += gloss * lamps[q, 4]
                    shine_g += gloss * lamps[q, 5]
                    shine_b += gloss * lamps[q, 6]
                mirror = 0.0
                if reflect > 0 or metal > 0:
                    dn = dx * nx + dy * ny + dz * nz
                    mx, my, mz = dx - 2 * dn * nx, dy - 2 * dn * ny, dz - 2 * dn * nz
                    mirror = _environment(sky, mx, my, mz)
                    fresnel = reflect * (0.06 + 0.94 * (1 + dn) ** 5)
                    shine_r += fresnel * mirror * sky[12]
                    shine_g += fresnel * mirror * sky[13]
                    shine_b += fresnel * mirror * sky[14]
                matte = 1.0 - 0.75 * metal
                tint = metal * (mirror * 0.9 + 0.1 * ambient)
                red += r * (light_r * matte + tint * sky[12]) + glow_r * light_r
                green += g * (light_g * matte + tint * sky[13]) + glow_g * light_g
                blue += b * (light_b * matte + tint * sky[14]) + glow_b * light_b
                red += shine_r * (1 - metal + metal * r * 2)
                green += shine_g * (1 - metal + metal * g * 2)
                blue += shine_b * (1 - metal + metal * b * 2)
            out[row, col, 0] = blue / samples
            out[row, col, 1] = green / samples
            out[row, col, 2] = red / samples
