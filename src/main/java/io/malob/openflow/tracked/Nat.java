package io.malob.openflow.tracked;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/**
 * How a connection's packets are translated: Open vSwitch's action {@code nat} within {@code ct}.
 * Immutable.
 *
 * @param range to what; empty to translate by the existing entry of the connection
 */
public record Nat(Optional<Range> range) {
  /** Translates by the entry of the connection, in both directions. */
  public static final Nat EXISTING = new Nat(Optional.empty());

  /** Stands for the port of the packet. */
  public static final int SAME_PORT = 0;

  static final int SUBTYPE = 36;
  static final int FIXED_BYTES = 16;
  static final int SOURCE = 1;
  static final int DESTINATION = 2;

  /** Bits of {@code range_present}; the first of a pair says that there is a value at all. */
  static final int IPV4_MIN = 1;

  static final int IPV4_MAX = 2;
  static final int IPV6_MIN = 4;
  static final int IPV6_MAX = 8;
  static final int PORT_MIN = 16;
  static final int PORT_MAX = 32;

  /** Which end of a connection's first packet is translated. */
  public enum End {
    SOURCE(Nat.SOURCE, "src"),
    DESTINATION(Nat.DESTINATION, "dst");

    private final int flag;
    private final String text;

    End(int flag, String text) {
      this.flag = flag;
      this.text = text;
    }
  }

  /**
   * The addresses and ports from which the switch chooses.
   *
   * @param last the last address, {@code first} if there is one only
   * @param firstPort {@link #SAME_PORT} to keep the port
   * @param lastPort the last port, {@code firstPort} if there is one only
   */
  public record Range(End end, IPAddress<?> first, IPAddress<?> last, int firstPort, int lastPort) {
    /** Checks the order. */
    public Range {
      if (first.getIpVersion() != last.getIpVersion()
          || Arrays.compareUnsigned(first.getBytes(), last.getBytes()) > 0) {
        throw new IllegalArgumentException("addresses from " + first + " to " + last);
      }
      if (firstPort < 0
          || lastPort > 0xffff
          || firstPort > lastPort
          || (firstPort == SAME_PORT && lastPort != SAME_PORT)) {
        throw new IllegalArgumentException("ports from " + firstPort + " to " + lastPort);
      }
    }

    private boolean hasLastAddress() {
      return !last.equals(first);
    }

    /** Whether there are several ports. */
    public boolean hasLastPort() {
      return lastPort != firstPort;
    }

    private int present() {
      boolean isIpv4 = first.getIpVersion() == IPVersion.IPv4;
      return (isIpv4 ? IPV4_MIN : IPV6_MIN)
          | (hasLastAddress() ? (isIpv4 ? IPV4_MAX : IPV6_MAX) : 0)
          | (firstPort == SAME_PORT ? 0 : PORT_MIN)
          | (hasLastPort() ? PORT_MAX : 0);
    }

    private void writeTo(ByteBuf out) {
      out.writeShort(end.flag).writeShort(present()).writeBytes(first.getBytes());
      if (hasLastAddress()) {
        out.writeBytes(last.getBytes());
      }
      if (firstPort != SAME_PORT) {
        out.writeShort(firstPort);
      }
      if (hasLastPort()) {
        out.writeShort(lastPort);
      }
    }

    @Override
    public String toString() {
      boolean hasPort = firstPort != SAME_PORT;
      return end.text
          + "="
          + text(first, hasPort)
          + (hasLastAddress() ? "-" + text(last, hasPort) : "")
          + (hasPort ? ":" + firstPort : "")
          + (hasLastPort() ? "-" + lastPort : "");
    }

    private static String text(IPAddress<?> address, boolean hasPort) {
      return hasPort && address.getIpVersion() == IPVersion.IPv6
          ? "[" + address + "]"
          : address.toString();
    }
  }

  /** Translates the destination's address. */
  public static Nat destination(IPAddress<?> address) {
    return destination(address, SAME_PORT);
  }

  /** Translates the destination's address and port. */
  public static Nat destination(IPAddress<?> address, int port) {
    return new Nat(Optional.of(new Range(End.DESTINATION, address, address, port, port)));
  }

  /** Translates the source to one of a range of addresses, and a port of a range. */
  public static Nat source(IPAddress<?> first, IPAddress<?> last, int firstPort, int lastPort) {
    return new Nat(Optional.of(new Range(End.SOURCE, first, last, firstPort, lastPort)));
  }

  void writeTo(ByteBuf out) {
    int start = ConntrackAction.writeHeader(out, SUBTYPE);
    out.writeZero(2);
    range.ifPresentOrElse(each -> each.writeTo(out), () -> out.writeZero(4));
    ConntrackAction.finish(out, start);
  }

  @Override
  public String toString() {
    return range.map(each -> "nat(" + each + ")").orElse("nat");
  }
}
