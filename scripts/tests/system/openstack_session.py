"""Runs OpenStack's command and calls its SDK: one request a line on stdin, one answer a line on stdout, both JSON.

Started by openstack_clients.Session with the Python of its environment. Argument: the controller's URL.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import openstack.connection
import openstack.resource
from openstackclient import shell


def main() -> None:
    warnings.simplefilter("ignore")
    connection = openstack.connection.Connection(auth_type="none", auth={"endpoint": sys.argv[1]})
    answers = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = _run(request["command"]) if "command" in request else _call(connection, **request)
            answer = {"result": result}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer, default=str), file=answers, flush=True)


def _run(words: list[str]) -> str:
    printed, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(told):
        try:
            code = shell.OpenStackShell().run(words)
        except SystemExit as end:
            code = end.code
        finally:
            # each shell adds its own, which would tell all that later ones do
            logging.getLogger("").handlers.clear()
    if code != 0:
        raise RuntimeError(told.getvalue().strip())
    return printed.getvalue()


def _call(connection: Any, method: str, arguments: list[Any], named: dict[str, Any]) -> Any:
    return _plain(getattr(connection.load_balancer, method)(*arguments, **named))


def _plain(value: Any) -> Any:
    if isinstance(value, openstack.resource.Resource):
        return value.to_dict()
    return [_plain(each) for each in value] if isinstance(value, Iterator) else value


if __name__ == "__main__":
    main()
