"""Repetitions of experiments over hours, and their report."""
