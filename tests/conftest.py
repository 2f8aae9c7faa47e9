"""Profiles of Hypothesis: `ci` repeats itself exactly, `dev` looks further, `deep` is for a night."""

import os

from hypothesis import HealthCheck, settings

_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("dev", parent=_COMMON, max_examples=50)
settings.register_profile("ci", parent=_COMMON, max_examples=100, derandomize=True, print_blob=True)
settings.register_profile("deep", parent=_COMMON, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))
