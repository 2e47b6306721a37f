"""Prints docs/reference/rest-reference.md, or with --write makes it: python3 scripts/command.py tools.reference [--write]."""

from __future__ import annotations

import argparse

from tools.reference import page


def main() -> None:
    parser = argparse.ArgumentParser(prog="reference", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/reference/rest-reference.md instead of printing it")
    if parser.parse_args().write:
        page.PAGE.write_text(page.text(page.document()))
    else:
        print(page.text(page.document()), end="")


if __name__ == "__main__":
    main()
