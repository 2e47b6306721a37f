package io.malob.state.catalog;

import java.util.Locale;
import java.util.Optional;

/** The transport protocols that can be balanced. */
public enum Protocol {
  TCP(6),
  UDP(17),
  /** Has no ports: the port is the ICMP type, from 0 to 255. */
  ICMP(1);

  private final int ipNumber;

  Protocol(int ipNumber) {
    this.ipNumber = ipNumber;
  }

  /** The number of this protocol in an IPv4 header. */
  public int ipNumber() {
    return ipNumber;
  }

  /** The name that users see: in lower case. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The protocol of that name, in any case; empty if there is no such protocol. */
  public static Optional<Protocol> named(String text) {
    for (Protocol protocol : values()) {
      if (protocol.name().equalsIgnoreCase(text)) {
        return Optional.of(protocol);
      }
    }
    return Optional.empty();
  }

  /** The protocol with that number in the IPv4 header; empty if it cannot be balanced. */
  public static Optional<Protocol> ofIpNumber(int ipNumber) {
    return switch (ipNumber) {
      case 6 -> Optional.of(TCP);
      case 17 -> Optional.of(UDP);
      case 1 -> Optional.of(ICMP);
      default -> Optional.empty();
    };
  }
}
