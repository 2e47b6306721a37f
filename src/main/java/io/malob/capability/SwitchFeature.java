package io.malob.capability;

/** A feature of switches that the balancer's rules need in some layout. */
public enum SwitchFeature {
  TABLE_1("table_1"),
  TABLE_2("table_2"),
  TABLE_3("table_3"),
  /** Matches some bits of a MAC address. */
  MAC_MASKS("mac_masks"),
  /** Translates the addresses and ports of IPv4 packets. */
  IPV4_TRANSLATION("ipv4_translation"),
  IPV6_TRANSLATION("ipv6_translation"),
  /** Groups of type indirect. */
  GROUPS("groups");

  private final String text;

  SwitchFeature(String text) {
    this.text = text;
  }

  /** The name in REST and in logs. */
  public String text() {
    return text;
  }

  /** The feature of having a table. */
  static SwitchFeature table(int number) {
    return switch (number) {
      case 1 -> TABLE_1;
      case 2 -> TABLE_2;
      case 3 -> TABLE_3;
      default -> throw new IllegalArgumentException("table " + number);
    };
  }
}
