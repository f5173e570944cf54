"""``maypole.pyz drive``: horovodrun in a process of its own, with a few corrections, telling its state."""
