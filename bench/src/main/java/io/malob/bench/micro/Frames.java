package io.malob.bench.micro;

import java.nio.ByteBuffer;

/** The frames that are parsed and delivered. */
final class Frames {
  static final int CLIENT = 0x0a00_0001;
  static final int VIP = 0xc612_0001;
  static final int CLIENT_PORT = 40_000;
  static final int VIP_PORT = 80;

  private static final int TCP = 6;
  private static final int SYN = 2;

  private Frames() {}

  /** The first packet of a client's connection to a VIP: Ethernet, IPv4, TCP with SYN. */
  static byte[] syn() {
    ByteBuffer frame = ByteBuffer.allocate(54);
    frame.putLong(0x0203_0000_0001_0200L).putInt(1).putShort((short) 0x0800);
    frame.putShort((short) 0x4500).putShort((short) 40).putInt(0);
    frame.put((byte) 64).put((byte) TCP).putShort((short) 0).putInt(CLIENT).putInt(VIP);
    frame.putShort((short) CLIENT_PORT).putShort((short) VIP_PORT).putInt(1).putInt(0);
    frame.put((byte) 0x50).put((byte) SYN).putShort((short) 0xffff).putInt(0);
    return frame.array();
  }
}
