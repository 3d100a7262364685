#!/usr/bin/env python3
"""Draws docs/img/quickstart.svg from a folder of results: the fabric with the use of its links, and
the distribution of step times. Needs nothing but Python 3.

    python3 scripts/figures.py results/quickstart docs/img/quickstart.svg
"""
import csv
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

INK, PALE, BAR, HOT = "#1c2733", "#d7dee6", "#3b6ea5", (178, 58, 44)


def tier(name):
    return 2 if name.startswith("spine") else 1 if name.startswith("leaf") else 0


def links(folder):
    """Highest utilisation of each pair of nodes over its parallel links and both directions."""
    used = defaultdict(float)
    total = defaultdict(float)
    for row in csv.DictReader(open(folder / "ports.csv", newline="")):
        total[row["port"]] += float(row["utilisation"])
    for port, utilisation in total.items():
        a, b = port.split("#")[0].split("->")
        pair = tuple(sorted((a, b), key=lambda n: (tier(n), n)))
        used[pair] = max(used[pair], utilisation)
    return used


def number(name):
    return int("".join(c for c in name if c.isdigit()) or 0)


def place(nodes, x0, width, top, step):
    places = {}
    for level in (0, 1, 2):
        row = sorted((n for n in nodes if tier(n) == level), key=number)
        for index, name in enumerate(row):
            places[name] = (x0 + width * (index + 0.5) / len(row), top + step * (2 - level))
    return places


def shade(share):
    low = (205, 213, 222)
    mixed = [round(a + (b - a) * share) for a, b in zip(low, HOT)]
    return "rgb({},{},{})".format(*mixed)


def fabric(used, out):
    nodes = {n for pair in used for n in pair}
    places = place(nodes, 20, 400, 70, 85)
    most = max(used.values()) or 1
    for (a, b), share in sorted(used.items(), key=lambda item: item[1]):
        (x1, y1), (x2, y2) = places[a], places[b]
        width = 1 + 3 * share / most
        out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{shade(share / most)}" stroke-width="{width:.1f}"/>')
    for name, (x, y) in sorted(places.items()):
        w = 34 if tier(name) == 0 else 46
        out.append(f'<rect x="{x - w / 2:.1f}" y="{y - 10:.1f}" width="{w}" height="20" rx="4" fill="#fff" stroke="{INK}"/>')
        out.append(f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="10">{name}</text>')
    out.append(f'<text x="220" y="30" text-anchor="middle" font-size="13" font-weight="600">use of links (up to {most:.1%})</text>')


def histogram(times, x0, out):
    low, high = min(times), max(times)
    bins = 16
    counts = [0] * bins
    for t in times:
        counts[min(bins - 1, int((t - low) / (high - low or 1) * bins))] += 1
    width, height, base = 330, 150, 240
    for index, count in enumerate(counts):
        h = height * count / max(counts)
        x = x0 + width * index / bins
        out.append(f'<rect x="{x:.1f}" y="{base - h:.1f}" width="{width / bins - 2:.1f}" height="{h:.1f}" fill="{BAR}"/>')
    out.append(f'<line x1="{x0}" y1="{base}" x2="{x0 + width}" y2="{base}" stroke="{INK}"/>')
    ordered = sorted(times)
    for share, label in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99")):
        value = ordered[max(0, math.ceil(share * len(ordered)) - 1)]
        x = x0 + width * (value - low) / (high - low or 1)
        top = {"p50": 72, "p95": 72, "p99": 58}[label]
        out.append(f'<line x1="{x:.1f}" y1="{top + 4}" x2="{x:.1f}" y2="{base}" stroke="{INK}" stroke-dasharray="3 3"/>')
        anchor = "end" if label == "p99" else "middle"
        out.append(f'<text x="{x:.1f}" y="{top}" text-anchor="{anchor}" font-size="10">{label} {value * 1e6:.1f} us</text>')
    for value, anchor, x in ((low, "start", x0), (high, "end", x0 + width)):
        out.append(f'<text x="{x}" y="{base + 16}" text-anchor="{anchor}" font-size="10">{value * 1e6:.1f} us</text>')
    out.append(f'<text x="{x0 + width / 2}" y="30" text-anchor="middle" font-size="13" font-weight="600">{len(times)} step times</text>')


def main():
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    summary = json.loads((folder / "summary.json").read_text())
    times = [float(row["time_s"]) for row in csv.DictReader(open(folder / "steps.csv", newline=""))]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 285" font-family="sans-serif">',
           f"<title>{summary['name']}</title>", '<rect width="820" height="285" fill="#fff"/>', f'<g fill="{INK}">']
    fabric(links(folder), out)
    histogram(times, 465, out)
    out += ["</g>", "</svg>"]
    target.write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
