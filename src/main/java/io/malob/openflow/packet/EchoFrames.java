package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the pings that the controller sends (RFC 792). Pure. */
public final class EchoFrames {
  public static final int ICMP_ECHO_REPLY = 0;
  public static final int ICMP_ECHO_REQUEST = 8;

  /** The IPv4 packet of an echo without payload. */
  public static final int LEAST_BYTES = Packet.IPV4_BYTES + 8;

  private static final int TTL = 64;

  private EchoFrames() {}

  /** One end of an echo. */
  public record End(MacAddress mac, IPv4Address address) {}

  /**
   * An echo request, whose payload is all zeros.
   *
   * @param identifier of who asks, 16 bits
   * @param sequence which of its questions this is, 16 bits
   * @param bytes of the IPv4 packet, at least {@link #LEAST_BYTES}
   */
  public static byte[] request(End from, End to, int identifier, int sequence, int bytes) {
    int ip = Packet.ETHERNET_BYTES;
    int icmp = ip + Packet.IPV4_BYTES;
    ByteBuffer frame = ByteBuffer.allocate(ip + bytes);
    frame
        .put(to.mac.getBytes())
        .put(from.mac.getBytes())
        .putShort((short) Packet.ETHERTYPE_IPV4)
        .put(ip, (byte) 0x45)
        .putShort(ip + 2, (short) bytes)
        .put(ip + 8, (byte) TTL)
        .put(ip + 9, (byte) Packet.PROTOCOL_ICMP)
        .putInt(ip + 12, from.address.getInt())
        .putInt(ip + 16, to.address.getInt())
        .putShort(ip + 10, Checksums.of(frame, ip, Packet.IPV4_BYTES, 0))
        .put(icmp, (byte) ICMP_ECHO_REQUEST)
        .putShort(icmp + 4, (short) identifier)
        .putShort(icmp + 6, (short) sequence)
        .putShort(icmp + 2, Checksums.of(frame, icmp, bytes - Packet.IPV4_BYTES, 0));
    byte[] whole = new byte[ip + bytes];
    frame.get(0, whole);
    return whole;
  }
}
