"""Hardening questions and filtering them: steps that can be run alone, the study's thresholds, and the funnel."""
