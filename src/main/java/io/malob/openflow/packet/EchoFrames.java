package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the pings that the controller sends to IPv4 hosts (RFC 792). Pure. */
public final class EchoFrames {
  public static final int ICMP_ECHO_REPLY = 0;
  public static final int ICMP_ECHO_REQUEST = 8;

  /** The IPv4 packet of an echo without payload. */
  public static final int MIN_BYTES = Packet.IPV4_BYTES + 8;

  private static final int TTL = 64;

  private EchoFrames() {}

  /** One end of an echo. */
  public record End(MacAddress mac, IPAddress<?> address) {}

  /**
   * An echo request, whose payload is all zeros.
   *
   * @param identifier of the sender, 16 bits
   * @param sequence the sequence number, 16 bits
   * @param bytes of the IPv4 packet, at least {@link #MIN_BYTES}
   */
  public static byte[] request(End from, End to, int identifier, int sequence, int bytes) {
    ByteBuffer icmp =
        ByteBuffer.allocate(bytes - Packet.IPV4_BYTES)
            .put(0, (byte) ICMP_ECHO_REQUEST)
            .putShort(4, (short) identifier)
            .putShort(6, (short) sequence);
    Replies.Ends ends = new Replies.Ends(from.mac, to.mac, from.address, 0, to.address, 0);
    return IpFrames.of(ends, Packet.PROTOCOL_ICMP, TTL, icmp, 2);
  }
}
