"""The worker link: what a worker says reaches the supervisor's journal, each event exactly once.

``client`` runs in every worker, ``server`` in the supervisor. A worker numbers its events from 1; the server
hands each number on once and acknowledges it; what is not acknowledged stays with the worker, in memory
(``backlog``) and then on its disk (``spool``). The lines themselves are described in ``protocol``.
"""
