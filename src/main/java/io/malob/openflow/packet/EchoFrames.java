package io.malob.openflow.packet;

import io.malob.algorithm.AddressKey;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** Builds pings of the controller, and its answers (RFC 792, RFC 4443). Pure. */
public final class EchoFrames {
  public static final int ICMP_ECHO_REPLY = 0;
  public static final int ICMP_ECHO_REQUEST = 8;

  public static final int ICMPV6_ECHO_REQUEST = 128;
  static final int ICMPV6_ECHO_REPLY = 129;

  private static final int ICMP_BYTES = 8;

  private static final int MACS_BYTES = 12;

  private static final int TTL = 64;

  private EchoFrames() {}

  /** The type of echo requests to an address with this key. */
  public static int requestTypeTo(int key) {
    return AddressKey.isIpv6(key) ? ICMPV6_ECHO_REQUEST : ICMP_ECHO_REQUEST;
  }

  /** The size of the IP packet of an echo without payload, from this address. */
  public static int minBytes(IPAddress<?> from) {
    return headerBytes(from) + ICMP_BYTES;
  }

  private static int headerBytes(IPAddress<?> from) {
    return isIpv4(from) ? Packet.IPV4_BYTES : Packet.IPV6_BYTES;
  }

  private static boolean isIpv4(IPAddress<?> from) {
    return from.getIpVersion() == IPVersion.IPv4;
  }

  /**
   * An echo request, whose payload is all zeros.
   *
   * @param identifier of the sender, 16 bits
   * @param sequence the sequence number, 16 bits
   * @param bytes of the IP packet, at least {@link #minBytes}
   */
  public static byte[] request(Replies.Ends ends, int identifier, int sequence, int bytes) {
    boolean isIpv4 = isIpv4(ends.src());
    ByteBuffer icmp =
        ByteBuffer.allocate(bytes - headerBytes(ends.src()))
            .put(0, (byte) (isIpv4 ? ICMP_ECHO_REQUEST : ICMPV6_ECHO_REQUEST))
            .putShort(4, (short) identifier)
            .putShort(6, (short) sequence);
    int protocol = isIpv4 ? Packet.PROTOCOL_ICMP : Packet.PROTOCOL_ICMPV6;
    return IpFrames.of(ends, protocol, TTL, icmp, 2);
  }

  /**
   * Answers an echo request from the address and MAC that it was sent to, with its payload and its
   * VLAN tags.
   */
  public static byte[] answer(Packet request) {
    byte[] frame = request.frame();
    byte[] link =
        ByteBuffer.allocate(request.networkOffset())
            .put(request.srcMac().getBytes())
            .put(request.dstMac().getBytes())
            .put(frame, MACS_BYTES, request.networkOffset() - MACS_BYTES)
            .array();
    boolean isIpv4 = isIpv4(request.source());
    ByteBuffer icmp =
        ByteBuffer.allocate(request.end() - request.transportOffset())
            .put(0, frame, request.transportOffset(), request.end() - request.transportOffset())
            .put(0, (byte) (isIpv4 ? ICMP_ECHO_REPLY : ICMPV6_ECHO_REPLY))
            .putShort(2, (short) 0);
    int protocol = isIpv4 ? Packet.PROTOCOL_ICMP : Packet.PROTOCOL_ICMPV6;
    return IpFrames.of(link, request.destination(), request.source(), protocol, TTL, icmp, 2);
  }
}
