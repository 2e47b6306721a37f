package io.malob.controller.bond;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A message of LACP (IEEE 802.1AX, 6.4.2). Immutable.
 *
 * @param actor the sender
 * @param partner what the sender knows of its partner
 */
record LacpMessage(End actor, End partner) {
  static final int ACTIVE = 1;
  static final int SHORT_TIMEOUT = 2;
  static final int AGGREGATABLE = 4;
  static final int IN_SYNC = 8;
  static final int COLLECTING = 0x10;
  static final int DISTRIBUTING = 0x20;

  private static final MacAddress TO = MacAddress.of("01:80:c2:00:00:02");
  private static final short ETHERTYPE = (short) 0x8809;
  private static final byte SUBTYPE = 1;
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 14;
  private static final int FRAME_BYTES = HEADER_BYTES + 110;
  private static final byte ACTOR = 1;
  private static final byte PARTNER = 2;
  private static final byte COLLECTOR = 3;
  private static final byte END_BYTES = 20;
  private static final byte COLLECTOR_BYTES = 16;

  /** The last byte that is read: the state of the partner. */
  private static final int MIN_BYTES = HEADER_BYTES + 39;

  /**
   * One end of a link.
   *
   * @param state bits, as above
   */
  record End(
      int systemPriority, MacAddress system, int key, int portPriority, int port, int state) {
    boolean has(int bit) {
      return (state & bit) != 0;
    }

    /** Whether links with both ends in these can be one. */
    boolean isSameAggregator(End other) {
      return system.equals(other.system)
          && systemPriority == other.systemPriority
          && key == other.key;
    }

    private static End read(ByteBuffer from) {
      from.getShort(); // type and length
      int systemPriority = from.getShort() & 0xffff;
      byte[] system = new byte[6];
      from.get(system);
      End end =
          new End(
              systemPriority,
              MacAddress.of(system),
              from.getShort() & 0xffff,
              from.getShort() & 0xffff,
              from.getShort() & 0xffff,
              from.get() & 0xff);
      return end;
    }

    private void write(byte type, ByteBuffer to) {
      to.put(type)
          .put(END_BYTES)
          .putShort((short) systemPriority)
          .put(system.getBytes())
          .putShort((short) key)
          .putShort((short) portPriority)
          .putShort((short) port)
          .put((byte) state)
          .put(new byte[3]);
    }
  }

  /** Reads a frame; empty if it is none of LACP. */
  static Optional<LacpMessage> read(byte[] frame) {
    if (!isSlowProtocol(frame) || frame.length < MIN_BYTES || frame[HEADER_BYTES] != SUBTYPE) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(frame).position(HEADER_BYTES + 2);
    End actor = End.read(in);
    in.position(in.position() + 3);
    return Optional.of(new LacpMessage(actor, End.read(in)));
  }

  /** Whether a frame is of a protocol that never leaves its link, such as LACP. */
  static boolean isSlowProtocol(byte[] frame) {
    return frame.length > HEADER_BYTES && ByteBuffer.wrap(frame).getShort(12) == ETHERTYPE;
  }

  /** The frame. */
  byte[] frame(MacAddress from) {
    ByteBuffer out = ByteBuffer.allocate(FRAME_BYTES);
    out.put(TO.getBytes()).put(from.getBytes()).putShort(ETHERTYPE).put(SUBTYPE).put(VERSION);
    actor.write(ACTOR, out);
    partner.write(PARTNER, out);
    out.put(COLLECTOR).put(COLLECTOR_BYTES);
    return out.array(); // the rest is zero: no delay, the terminator, reserved bytes
  }
}
