#!/usr/bin/env python3
"""Shows pictures in the terminal, with the digit that the compiled network saw and the one that was written."""

import argparse
import os
import shutil
import sys

import numpy as np

SHADES = " ░▒▓█"
GAP = "   "


def picture_lines(picture):
    """An [H, W] picture in [0, 1] as H lines, two characters for each pixel."""
    levels = np.minimum((picture * len(SHADES)).astype(int), len(SHADES) - 1)
    return ["".join(SHADES[level] * 2 for level in row) for row in levels]


def caption(probability, digit):
    seen = int(probability.argmax())
    mark = "" if seen == digit else " !"
    return [f"seen {seen} ({probability[seen]:.0%})", f"true {digit}{mark}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="folder with held_out.npz")
    parser.add_argument("outputs", help=".npz with `probability`, one row for each of the first held-out pictures")
    arguments = parser.parse_args()
    held_out = np.load(os.path.join(arguments.folder, "held_out.npz"))
    probability = np.load(arguments.outputs)["probability"]
    if not np.isfinite(probability).all() or not np.allclose(probability.sum(1), 1, atol=1e-4):
        sys.exit("the network's answer is not a list of probabilities")
    blocks = [picture_lines(held_out["picture"][i, 0]) + caption(row, int(held_out["digit"][i]))
              for i, row in enumerate(probability)]
    width = 2 * held_out["picture"].shape[-1]
    columns = max(1, shutil.get_terminal_size((80, 24)).columns // (width + len(GAP)))
    for start in range(0, len(blocks), columns):
        for lines in zip(*blocks[start:start + columns]):
            print(GAP.join(line.ljust(width) for line in lines).rstrip())
        print()
    right = int((probability.argmax(1) == held_out["digit"][:len(probability)]).sum())
    print(f"{right} of {len(probability)} right")


if __name__ == "__main__":
    main()
