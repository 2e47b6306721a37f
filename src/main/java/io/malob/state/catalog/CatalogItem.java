package io.malob.state.catalog;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A load balancer, VIP, pool, member, service or monitor. Immutable. */
public interface CatalogItem {
  /** The item's id in URLs; unique among the items of its kind. */
  String id();

  /**
   * The fields that users see and write, by name, in the order in which they are shown. A value is
   * a string, a number, a boolean, a list or map of strings and numbers, or null for an optional
   * field that is not set.
   */
  Map<String, @Nullable Object> fields();
}
