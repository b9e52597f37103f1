"""Profiles of hypothesis, chosen by HYPOTHESIS_PROFILE: which examples property tests draw.

`quick`, the default, draws the same examples in every run: a failure in one place can be repeated in another. `deep`
draws new ones, a hundred times as many; `few` is for runs that are traced.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": (HealthCheck.too_slow, HealthCheck.data_too_large)}

settings.register_profile("quick", max_examples=50, derandomize=True, database=None, **_COMMON)
settings.register_profile("few", max_examples=5, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=5000, derandomize=False, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
