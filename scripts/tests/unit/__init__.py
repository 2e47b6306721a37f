"""Tests of the scripts' pure parts: no root, no network, no other programs."""
