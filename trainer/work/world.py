"""This process' place among the workers, as Horovod said last."""

from __future__ import annotations

from typing import Tuple


class World:
    def __init__(self) -> None:
        self.rank = 0
        self.size = 1
        self.resets = -1
        """Initialisations so far, less one: -1 when Horovod was never initialised."""
        self.up = False

    def initialised(self, rank: int, size: int) -> bool:
        """False when this is no new initialisation (a second hvd.init() changes nothing)."""
        if self.up and (rank, size) == (self.rank, self.size):
            return False
        self.rank, self.size, self.up = rank, size, True
        self.resets += 1
        return True

    def shut_down(self) -> None:
        """Rank and size stay: they say who this process was until it is somebody else."""
        self.up = False

    @property
    def place(self) -> Tuple[int, int]:
        return self.rank, self.size
