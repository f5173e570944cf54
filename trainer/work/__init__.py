"""What runs inside a training process: ``maypole.pyz work --home RUN_DIR -- script.py args...``.

``main`` starts the link to the supervisor, then the user's script as ``__main__``. All that touches
Horovod or Keras waits behind ``import_hooks`` until the script imports them. ``session`` holds what the
parts share; the training thread only ever appends to the link's queue.
"""
