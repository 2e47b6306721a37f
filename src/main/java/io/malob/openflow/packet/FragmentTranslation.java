package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Rewrites the addresses of fragments of IPv4 packets. Switches cannot do it: Open vSwitch 3.1, in
 * its user-space data path, corrects the bytes of the checksum in every fragment of TCP and UDP as
 * if it were the first, and so corrupts two bytes of each later one. Pure.
 */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class FragmentTranslation {
  private FragmentTranslation() {}

  /** A fragment with these addresses. */
  public static byte[] translated(
      Packet fragment, MacAddress srcMac, MacAddress dstMac, int srcAddress, int dstAddress) {
    int network = fragment.networkOffset();
    ByteBuffer copy = ByteBuffer.wrap(Arrays.copyOf(fragment.frame(), fragment.end()));
    copy.put(0, dstMac.getBytes()).put(6, srcMac.getBytes());
    boolean isFirst = (copy.getShort(network + 6) & 0x1fff) == 0;
    if (isFirst) {
      int at = fragment.transportOffset() + (fragment.protocol() == Packet.PROTOCOL_TCP ? 16 : 6);
      correct(copy, at, fragment, srcAddress, dstAddress);
    }
    copy.putInt(network + 12, srcAddress).putInt(network + 16, dstAddress);
    copy.putShort(network + 10, (short) 0);
    int headerBytes = fragment.transportOffset() - network;
    copy.putShort(network + 10, Checksums.of(copy, network, headerBytes, 0));
    return copy.array();
  }

  /** The checksum of the whole packet, which only the first fragment has; UDP may have none. */
  private static void correct(
      ByteBuffer copy, int at, Packet fragment, int srcAddress, int dstAddress) {
    boolean isThere = at + 2 <= copy.capacity() && copy.getShort(at) != 0;
    if (isThere) {
      short sum = Checksums.changed(copy.getShort(at), fragment.srcAddress(), srcAddress);
      copy.putShort(at, Checksums.changed(sum, fragment.dstAddress(), dstAddress));
    }
  }
}
