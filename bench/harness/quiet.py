"""Waiting for a machine that nobody disturbs. The cores of a virtual machine move away from each other for seconds or minutes, and runs take half
as long again, those with many barriers more than others."""

import time


class Quiet:
    """Takes times between two of a control, a run that takes always as long: again while these say that the machine is slower than it was at its
    best, as long as patience lasts, in seconds, for all times together."""

    SLOWER = 1.1

    def __init__(self, control, patience):
        self._control = control
        self._patience = patience
        self._least = self._last = float("inf")
        for _ in range(5):
            self._look()

    def _look(self):
        self._last = self._control()
        self._least = min(self._least, self._last)

    def _is_quiet(self):
        return self._last <= self._least * self.SLOWER

    def take(self, run):
        while True:
            start = time.perf_counter()
            while not self._is_quiet() and time.perf_counter() - start < self._patience:
                self._look()
            self._patience -= time.perf_counter() - start
            start = time.perf_counter()
            seconds = run()
            self._look()
            if self._is_quiet() or self._patience <= 0:
                return seconds
            self._patience -= time.perf_counter() - start
