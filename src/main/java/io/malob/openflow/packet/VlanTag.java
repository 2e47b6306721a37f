package io.malob.openflow.packet;

import java.util.Arrays;

/** The VLAN tag of a frame (IEEE 802.1Q). Pure. */
public final class VlanTag {
  private static final int AT = 12;
  private static final int BYTES = 4;
  private static final int TYPE = 0x8100;

  private VlanTag() {}

  /**
   * A frame with this VLAN instead of the one that it may have.
   *
   * @param vlan the VLAN id; 0 for no tag
   * @return the frame itself if it needs no change
   */
  public static byte[] set(byte[] frame, int vlan) {
    boolean isTagged =
        frame.length >= AT + BYTES
            && Packet.isVlan((frame[AT] & 0xff) << Byte.SIZE | (frame[AT + 1] & 0xff));
    if (!isTagged && vlan == 0) {
      return frame;
    }
    int tag = vlan == 0 ? 0 : BYTES;
    int rest = isTagged ? AT + BYTES : AT;
    byte[] changed = Arrays.copyOf(frame, AT + tag + frame.length - rest);
    if (tag != 0) {
      changed[AT] = (byte) (TYPE >>> Byte.SIZE);
      changed[AT + 1] = (byte) TYPE;
      changed[AT + 2] = (byte) (vlan >>> Byte.SIZE);
      changed[AT + 3] = (byte) vlan;
    }
    System.arraycopy(frame, rest, changed, AT + tag, frame.length - rest);
    return changed;
  }
}
