"""One process a run: owns its directory, its discovery script, its driver, its journal and its link.

``main`` is the command and ``supervisor`` its loop. ``model`` (``world``, ``board``, ``resizes``) is what the
evidence says: pure. ``membership`` owns the discovery script, ``driver`` the process of horovodrun.
"""
