"""Trainings that travel with Maypole: ``work -- maypole:NAME`` runs the module NAME of this package."""
