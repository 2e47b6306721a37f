"""Percentiles and means, and that those of the lab are numpy's."""

from __future__ import annotations

import random
import unittest

from lab import percentiles
from research import distribution
from research.distribution import Distribution, Mean


class DistributionTest(unittest.TestCase):
    def test_percentiles_of_ten_and_one_values(self) -> None:
        self.assertEqual(Distribution(11, 1, 5, 9), distribution.of([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]))

    def test_between_two_values_by_straight_line(self) -> None:
        found = distribution.of([2, 1])
        assert found is not None
        self.assertAlmostEqual(1.1, found.p10)
        self.assertEqual(1.5, found.median)
        self.assertAlmostEqual(1.9, found.p90)

    def test_one_value_is_all_of_them(self) -> None:
        self.assertEqual(Distribution(1, 3, 3, 3), distribution.of([3]))

    def test_no_values_have_none(self) -> None:
        self.assertIsNone(distribution.of([]))


class ConfidenceTest(unittest.TestCase):
    def test_interval_of_five_values(self) -> None:
        # s = 1.5811, t(4) = 2.13185: 2.13185 * 1.5811 / sqrt(5)
        found = distribution.mean([1, 2, 3, 4, 5])
        assert found is not None and found.ci90 is not None
        self.assertEqual((5, 3), (found.count, found.value))
        self.assertAlmostEqual(1.5074, found.ci90, places=4)

    def test_one_value_has_no_interval(self) -> None:
        self.assertEqual(Mean(1, 7.0, None), distribution.mean([7.0]))
        self.assertIsNone(distribution.mean([]))

    def test_many_values_have_the_t_of_their_number(self) -> None:
        found = distribution.mean([0.0, 1.0] * 50)
        assert found is not None and found.ci90 is not None
        self.assertAlmostEqual(1.6604 * 0.50252 / 10, found.ci90, places=4)


class LabTest(unittest.TestCase):
    """lab has none of the libraries of research."""

    def test_percentiles_are_those_of_research(self) -> None:
        drawn = random.Random(1)
        for count in (1, 2, 3, 10, 101):
            values = [drawn.lognormvariate(0, 2) for _ in range(count)]
            for percent in (0, 1, 10, 50, 95, 99.9, 100):
                found = percentiles.percentile(values, percent)
                assert found is not None
                self.assertAlmostEqual(distribution.percentile(values, percent), found, places=9, msg=f"{percent} % of {count}")
            self.assertAlmostEqual(distribution.percentile(values, 50), percentiles.median(values) or 0, places=9)

    def test_no_values_have_none(self) -> None:
        self.assertIsNone(percentiles.percentile([], 95))
        self.assertIsNone(percentiles.median([]))


if __name__ == "__main__":
    unittest.main()
