package io.malob.state.catalog;

/** A load balancer, VIP, pool, member, service or monitor. Immutable. */
public interface CatalogItem {
  /** The item's id in URLs; unique among the items of its kind. */
  String id();

  /** A display name, which may be empty. */
  String name();

  /** Whether it is in service. */
  default AdminState adminState() {
    return AdminState.UP;
  }

  /** Descriptions without effect. */
  default Notes notes() {
    return Notes.NONE;
  }
}
