"""The reference of the REST interface, docs/reference/rest-reference.md, made of the OpenAPI document in the jar."""
