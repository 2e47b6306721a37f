"""The reference of the REST interface, generated from the OpenAPI document in the jar, and the options of the Java
programs."""
