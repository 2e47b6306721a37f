"""Converts the OpenAPI document into a Markdown page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from malob.system.place import ROOT

DOCUMENT = ROOT / "src/main/resources/io/malob/rest/openapi.json"


def document() -> dict[str, Any]:
    return json.loads(DOCUMENT.read_text())


def text(api: dict[str, Any]) -> str:
    """The whole page."""
    return "\n".join(_lines(api)) + "\n"


def _lines(api: dict[str, Any]) -> Iterator[str]:
    yield "# REST reference"
    yield ""
    yield (
        "Generated from the OpenAPI document, which the controller serves at `/wm/malob/openapi.json`. "
        "[REST interface](rest-api.md) explains the requests, with examples."
    )
    yield ""
    yield api["info"]["description"]
    for tag in api["tags"]:
        yield from ["", f"## {tag['description']}", ""]
        yield from _table(("request", "does", "parameters", "body", "answers"), _operations(api, tag["name"]))
    yield from ["", "## Statuses of errors", "", "Errors are an [Error](#error).", ""]
    yield from _table(("status", "when"), ((f"{code}", answer["description"]) for code, answer in api["components"]["responses"].items()))
    yield from ["", "## Objects"]
    for name, schema in api["components"]["schemas"].items():
        yield from ["", f"### {name}", ""]
        yield from _object(schema)


def _operations(api: dict[str, Any], tag: str) -> Iterator[tuple[str, ...]]:
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield (
                    f"`{method.upper()} {path}`",
                    operation["summary"],
                    _parameters(api, operation),
                    _body(operation.get("requestBody", {})),
                    _answers(operation),
                )


def _parameters(api: dict[str, Any], operation: dict[str, Any]) -> str:
    found = [_resolved(api, each) for each in operation.get("parameters", ())]
    return "; ".join(f"`{each['name']}`{' (required)' if each['required'] and each['in'] != 'path' else ''}: {each['description']}" for each in found)


def _resolved(api: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    for step in node["$ref"].split("/")[1:]:
        api = api[step]
    return api


def _body(node: dict[str, Any]) -> str:
    return ", ".join(dict.fromkeys(_type(content["schema"]) for content in node.get("content", {}).values()))


def _answers(operation: dict[str, Any]) -> str:
    shown = []
    for code, answer in operation["responses"].items():
        body = _body(answer)
        shown.append(f"{code} {body}" if body else code)
    return ", ".join(shown)


def _object(schema: dict[str, Any]) -> Iterator[str]:
    if "description" in schema:
        yield from [schema["description"], ""]
    if not schema.get("properties"):
        yield _type({key: value for key, value in schema.items() if key != "description"}).capitalize() + "."
        return
    yield from _table(
        ("field", "value"),
        ((f"`{name}`", _type(each) + (f": {each['description']}" if "description" in each else "")) for name, each in schema["properties"].items()),
    )


def _type(schema: dict[str, Any]) -> str:
    """A short description of a schema."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for many in ("anyOf", "allOf"):
        if many in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[many]))
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    kinds = schema.get("type", "any")
    return " or ".join(_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _kind(kind: str, schema: dict[str, Any]) -> str:
    if kind == "array":
        return f"array of {_type(schema['items'])}" if "items" in schema else "array"
    if kind == "object":
        if schema.get("additionalProperties"):
            return f"object by name, of {_type(schema['additionalProperties'])}"
        names = ", ".join(f"`{name}` ({_type(each)})" for name, each in schema.get("properties", {}).items())
        return f"object with {names}" if names else "object"
    return {"null": "`null`"}.get(kind, kind)


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
