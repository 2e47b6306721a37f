package io.malob.openflow.label;

import java.util.Optional;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * An identifier of one directed path, which packets carry as their destination MAC address, so that
 * core switches match only this (shadow MACs, HotSDN 2014).
 *
 * @param id from 1 to 2^24 - 1
 */
public record Label(int id) {
  /** The first three bytes of every label: a locally administered address. */
  public static final MacAddress PREFIX = MacAddress.of("0a:4d:4c:00:00:00");

  public static final MacAddress PREFIX_MASK = MacAddress.of("ff:ff:ff:00:00:00");

  /** The largest id. */
  public static final int MAX_ID = 0xffffff;

  /** The largest id of the paths of connections; those above are for MPTCP's sub-flows. */
  public static final int MAX_CONNECTION_ID = 0x7fffff;

  /** The first bits of the labels of sub-flows. */
  public static final MacAddress SUBFLOW_PREFIX =
      MacAddress.of(PREFIX.getLong() | MAX_CONNECTION_ID + 1);

  public static final MacAddress SUBFLOW_PREFIX_MASK = MacAddress.of("ff:ff:ff:80:00:00");

  public Label {
    if (id < 1 || id > MAX_ID) {
      throw new IllegalArgumentException("a label id is between 1 and " + MAX_ID + ", not " + id);
    }
  }

  /** Whether an address is a label. */
  public static boolean isLabel(MacAddress mac) {
    return mac.getLong() >>> 24 == PREFIX.getLong() >>> 24;
  }

  /** Whether an address is the label of sub-flows. */
  public static boolean isOfSubflow(MacAddress mac) {
    return isLabel(mac) && (mac.getLong() & MAX_ID) > MAX_CONNECTION_ID;
  }

  /** The label of an address; empty if the address is not a label. */
  public static Optional<Label> of(MacAddress mac) {
    int id = (int) (mac.getLong() & MAX_ID);
    return isLabel(mac) && id != 0 ? Optional.of(new Label(id)) : Optional.empty();
  }

  /** The address of this label. */
  public MacAddress mac() {
    return MacAddress.of(PREFIX.getLong() | id);
  }
}
