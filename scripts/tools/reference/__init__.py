"""The reference of the REST interface, generated from the OpenAPI document in the jar; settings and options of the Java programs."""
