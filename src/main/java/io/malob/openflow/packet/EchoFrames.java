package io.malob.openflow.packet;

import io.malob.algorithm.AddressKey;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the pings that the controller sends to hosts (RFC 792, RFC 4443). Pure. */
public final class EchoFrames {
  public static final int ICMP_ECHO_REPLY = 0;
  public static final int ICMP_ECHO_REQUEST = 8;

  public static final int ICMPV6_ECHO_REQUEST = 128;
  static final int ICMPV6_ECHO_REPLY = 129;

  private static final int ICMP_BYTES = 8;

  private static final int TTL = 64;

  private EchoFrames() {}

  /** One end of an echo. */
  public record End(MacAddress mac, IPAddress<?> address) {}

  /** The type of echo requests to an address with this key. */
  public static int requestTypeTo(int key) {
    return AddressKey.isIpv6(key) ? ICMPV6_ECHO_REQUEST : ICMP_ECHO_REQUEST;
  }

  /** The size of the IP packet of an echo without payload, from this address. */
  public static int minBytes(IPAddress<?> from) {
    return headerBytes(from) + ICMP_BYTES;
  }

  private static int headerBytes(IPAddress<?> from) {
    return isIpv4(from) ? Packet.IPV4_BYTES : Ipv6Packet.IPV6_BYTES;
  }

  private static boolean isIpv4(IPAddress<?> from) {
    return from.getIpVersion() == IPVersion.IPv4;
  }

  /**
   * An echo request, whose payload is all zeros. Both ends have the same IP version.
   *
   * @param identifier of the sender, 16 bits
   * @param sequence the sequence number, 16 bits
   * @param bytes of the IP packet, at least {@link #minBytes}
   */
  public static byte[] request(End from, End to, int identifier, int sequence, int bytes) {
    boolean isIpv4 = isIpv4(from.address);
    ByteBuffer icmp =
        ByteBuffer.allocate(bytes - headerBytes(from.address))
            .put(0, (byte) (isIpv4 ? ICMP_ECHO_REQUEST : ICMPV6_ECHO_REQUEST))
            .putShort(4, (short) identifier)
            .putShort(6, (short) sequence);
    Replies.Ends ends = new Replies.Ends(from.mac, to.mac, from.address, 0, to.address, 0);
    int protocol = isIpv4 ? Packet.PROTOCOL_ICMP : Ipv6Packet.PROTOCOL_ICMPV6;
    return IpFrames.of(ends, protocol, TTL, icmp, 2);
  }
}
