"""The reference of the REST interface, docs/rest-reference.md, made of the OpenAPI document in the jar."""
