package io.malob.algorithm;

import com.google.common.net.InetAddresses;
import java.util.Optional;
import java.util.regex.Pattern;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** Addresses as text. {@code toString} of an {@link IPAddress} is the text of RFC 5952. */
public final class AddressText {
  /** Without zones of IPv6, IPv4 within IPv6, and digits of other scripts. */
  private static final Pattern CHARACTERS = Pattern.compile("[0-9.]{7,15}|[0-9A-Fa-f:]{2,39}");

  private AddressText() {}

  /**
   * The address with this text, of either family; empty if it is none. IPv4 has no leading zeros,
   * and IPv6 no part in the form of IPv4.
   */
  public static Optional<IPAddress<?>> parse(String text) {
    return CHARACTERS.matcher(text).matches() && InetAddresses.isInetAddress(text)
        ? Optional.of(IPAddress.of(text))
        : Optional.empty();
  }

  /** An address and a port, such as {@code 10.0.0.1:80} or {@code [2001:db8::1]:80}. */
  public static String withPort(IPAddress<?> address, int port) {
    return (address.getIpVersion() == IPVersion.IPv6 ? "[" + address + "]" : address) + ":" + port;
  }
}
