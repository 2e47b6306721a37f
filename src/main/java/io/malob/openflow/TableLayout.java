package io.malob.openflow;

import java.util.Locale;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * How a switch holds the balancer's rules. docs/architecture/data-plane.md shows the tables of each
 * layout.
 */
public enum TableLayout {
  /** Four tables, as in {@link FlowLayout}. */
  FOUR_TABLES(Role.ANY),

  /** One table. Each label has an indirect group, which connections refer to. */
  ONE_TABLE_WITH_GROUPS(Role.ANY),

  /** One table without groups. The rules of connections name the output port. */
  ONE_TABLE(Role.EDGE),

  /** One table that does not translate: it has rules of labels, each an exact MAC address. */
  LABELS_ONLY(Role.CORE);

  /** What a switch can be in the network. */
  public enum Role {
    /** An edge switch for clients and members, and a core switch. */
    ANY,
    /** The same, but the repair of a path takes time in proportion to its connections. */
    EDGE,
    /** It forwards by labels, and cannot translate addresses. */
    CORE
  }

  private final Role role;

  TableLayout(Role role) {
    this.role = role;
  }

  /** The name in settings, in REST and in logs. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public Role role() {
    return role;
  }

  /**
   * Whether the rule that translates packets also names their output port. If so, it must be
   * changed when that port changes, and not only the rule or group of its label.
   *
   * @param isLabelled whether the packets get a label
   * @param out that port; {@link OFPort#IN_PORT} if the packets go back to where they come from
   */
  boolean namesPort(boolean isLabelled, OFPort out) {
    return switch (this) {
      case FOUR_TABLES -> isLabelled && out.equals(OFPort.IN_PORT);
      case ONE_TABLE_WITH_GROUPS -> !isLabelled || out.equals(OFPort.IN_PORT);
      case ONE_TABLE, LABELS_ONLY -> true;
    };
  }

  /** Whether the switch translates addresses by rules that are all in one table. */
  public boolean translatesInOneTable() {
    return translates() && this != FOUR_TABLES;
  }

  /** Whether the switch translates addresses, so that clients and members can be behind it. */
  public boolean translates() {
    return role != Role.CORE;
  }
}
