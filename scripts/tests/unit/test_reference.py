"""The page that is made of the OpenAPI document."""

from __future__ import annotations

import re
import unittest

from tools.reference import page


class ReferencePageTest(unittest.TestCase):
    def test_every_request_is_on_the_page(self) -> None:
        """each path and method of the document has a line"""
        text = page.text(page.document())
        for path, methods in page.document()["paths"].items():
            for method in methods:
                self.assertIn(f"| `{method.upper()} {path}` |", text)

    def test_links_lead_to_objects_of_the_page(self) -> None:
        """a link to an object has its heading"""
        text = page.text(page.document())
        headings = {heading.lower() for heading in re.findall(r"^### (\w+)$", text, re.MULTILINE)}
        self.assertLess(30, len(headings))
        self.assertLessEqual(set(re.findall(r"\]\(#(\w+)\)", text)), headings)


if __name__ == "__main__":
    unittest.main()
