package io.malob.controller.rest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.U64;

/** The fields of one JSON object, in order. For one thread. */
final class Row {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  /** Adds a value as a string, or nothing if the version of OpenFlow does not have it. */
  Row add(String name, Supplier<?> value) {
    try {
      fields.put(name, String.valueOf(value.get()));
    } catch (UnsupportedOperationException e) {
      // not in this version
    }
    return this;
  }

  /** Adds an unsigned number as a string, or nothing, as {@link #add}. */
  Row count(String name, Supplier<U64> value) {
    return add(name, () -> value.get().getBigInteger());
  }

  /** Adds a part that is not a string. */
  Row put(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  /** What Jackson writes. */
  Map<String, Object> fields() {
    return fields;
  }
}
