"""How far the training is, on every rank, so that whoever becomes rank 0 goes on counting.

Only the training thread writes. ``samples`` cannot be had from the step count, because the world size
changes; so old ranks count along, and rank 0's number is in the broadcast of every commit.
"""

from __future__ import annotations

UNKNOWN = -1


class Ledger:
    def __init__(self) -> None:
        self.step = 0
        self.samples = 0
        """Global samples seen; UNKNOWN once a batch was of unknown size."""
        self.epochs = 0
        """Epochs done by fits of this process, for scripts that fit more than once without a state."""
        self._committed = 0

    def add(self, steps: int, samples: int) -> None:
        self.step += steps
        if samples < 0 or self.samples < 0:
            self.samples = UNKNOWN
        else:
            self.samples += samples

    def commit(self) -> None:
        self._committed = self.samples

    def roll_back(self) -> None:
        self.samples = self._committed

    def adopt(self, samples: int) -> None:
        """Rank 0's count, told in the broadcast of a commit."""
        if samples < 0 or self.samples < 0 or self._committed < 0:
            self._committed = samples
        else:
            self._committed += samples - self.samples
        self.samples = samples
