package io.malob.bench.load;

/** PACKET_IN messages, patched from a pattern. */
final class PacketInTemplate {
  private static final int FRAME = 42;
  private static final int IP = FRAME + 14;
  private static final int TCP_BYTES = 40;
  private static final int REQUESTS_TABLE = 1;

  /** Maximum segment size, SACK permitted, time stamps, window scale, as Linux sends them. */
  private static final byte[] SYN_OPTIONS = {
    2, 4, 5, (byte) 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7
  };

  private final AddressFamily family;
  private final byte[] syn;
  private final int tcp;
  private final int ipSum;
  private final int tcpSum;

  /** First packets to that VIP, with the VIP's MAC address. */
  PacketInTemplate(AddressFamily family, int vip, long vipMac) {
    this.family = family;
    syn = new byte[FRAME + synFrameBytes(family)];
    tcp = IP + family.headerBytes;
    head(syn, REQUESTS_TABLE, synFrameBytes(family));
    Bytes.put48(syn, FRAME, vipMac);
    Bytes.put16(syn, FRAME + 12, family.etherType);
    if (family == AddressFamily.IPV4) {
      syn[IP] = 0x45;
      Bytes.put16(syn, IP + 2, family.headerBytes + TCP_BYTES);
      Bytes.put16(syn, IP + 6, 0x4000);
      syn[IP + 8] = 64;
    } else {
      syn[IP] = 0x60;
      Bytes.put16(syn, IP + 4, TCP_BYTES);
      syn[IP + 7] = 64;
    }
    syn[IP + family.protocolAt] = OpenFlow.IP_PROTO_TCP;
    family.write(syn, IP + family.sourceAt, 0);
    family.write(syn, IP + family.sourceAt + family.addressBytes, vip);
    Bytes.put16(syn, tcp + 2, Scenario.VIP_TCP_PORT);
    syn[tcp + 12] = (byte) ((TCP_BYTES / 4) << 4);
    syn[tcp + 13] = 2;
    Bytes.put16(syn, tcp + 14, 64_240);
    System.arraycopy(SYN_OPTIONS, 0, syn, tcp + 20, SYN_OPTIONS.length);
    ipSum = Bytes.sum(syn, IP, family.headerBytes);
    tcpSum =
        Bytes.sum(syn, tcp, TCP_BYTES)
            + Bytes.sum(syn, IP + family.sourceAt, 2 * family.addressBytes)
            + OpenFlow.IP_PROTO_TCP
            + TCP_BYTES;
  }

  /** The bytes of a first packet's frame. */
  static int synFrameBytes(AddressFamily family) {
    return IP - FRAME + family.headerBytes + TCP_BYTES;
  }

  /** Appends the first packet of a connection, as after a table miss. */
  void syn(Outbox outbox, int inPort, long mac, int address, int tcpPort, int sequence) {
    int at = outbox.append(syn.length);
    byte[] out = outbox.bytes();
    System.arraycopy(syn, 0, out, at, syn.length);
    int addressSum = (address >>> 16) + (address & 0xffff);
    Bytes.put32(out, at + 4, outbox.nextXid());
    Bytes.put32(out, at + 32, inPort);
    Bytes.put48(out, at + FRAME + 6, mac);
    family.write(out, at + IP + family.sourceAt, address);
    if (family == AddressFamily.IPV4) {
      Bytes.put16(out, at + IP + 10, Bytes.checksum(ipSum + addressSum));
    }
    Bytes.put16(out, at + tcp, tcpPort);
    Bytes.put32(out, at + tcp + 4, sequence);
    Bytes.put16(
        out,
        at + tcp + 16,
        Bytes.checksum(tcpSum + addressSum + tcpPort + (sequence >>> 16) + (sequence & 0xffff)));
  }

  /** Appends a packet that misses in table 0. */
  static void other(Outbox outbox, int inPort, byte[] from, int frame, int frameBytes) {
    int at = outbox.append(FRAME + frameBytes);
    byte[] out = outbox.bytes();
    byte[] head = new byte[FRAME];
    head(head, 0, frameBytes);
    System.arraycopy(head, 0, out, at, FRAME);
    Bytes.put32(out, at + 4, outbox.nextXid());
    Bytes.put32(out, at + 32, inPort);
    System.arraycopy(from, frame, out, at + FRAME, frameBytes);
  }

  /** An ARP packet; a broadcast if the target's MAC address is unknown. */
  static byte[] arp(int operation, long mac, int address, long targetMac, int target) {
    byte[] frame = new byte[60];
    Bytes.put48(frame, 0, targetMac == 0 ? 0xffff_ffff_ffffL : targetMac);
    Bytes.put48(frame, 6, mac);
    Bytes.put16(frame, 12, OpenFlow.ETHERTYPE_ARP);
    Bytes.put16(frame, 14, 1);
    Bytes.put16(frame, 16, OpenFlow.ETHERTYPE_IPV4);
    Bytes.put16(frame, 18, 0x0604);
    Bytes.put16(frame, 20, operation);
    Bytes.put48(frame, 22, mac);
    Bytes.put32(frame, 28, address);
    Bytes.put48(frame, 32, targetMac);
    Bytes.put32(frame, 38, target);
    return frame;
  }

  static void head(byte[] message, int table, int frameBytes) {
    message[0] = OpenFlow.VERSION;
    message[1] = OpenFlow.PACKET_IN;
    Bytes.put16(message, 2, FRAME + frameBytes);
    Bytes.put32(message, 8, OpenFlow.NO_BUFFER);
    Bytes.put16(message, 12, frameBytes);
    message[14] = OpenFlow.REASON_NO_MATCH;
    message[15] = (byte) table;
    Bytes.put16(message, 24, 1);
    Bytes.put16(message, 26, 12);
    Bytes.put32(message, 28, OpenFlow.oxm(OpenFlow.OXM_IN_PORT, 4));
  }
}
