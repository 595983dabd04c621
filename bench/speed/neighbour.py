"""Processes that want a core all the time, as a neighbour on the machine does."""

import contextlib
import subprocess
import sys


@contextlib.contextmanager
def busy_neighbours(count):
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
