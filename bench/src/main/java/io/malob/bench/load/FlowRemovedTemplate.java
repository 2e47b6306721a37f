package io.malob.bench.load;

/** FLOW_REMOVED messages of request rules that were idle for too long, patched from a pattern. */
final class FlowRemovedTemplate {
  private static final int MATCH = 48;
  private static final int SRC_ADDRESS = MATCH + 4 + 6 + 5 + 4;
  private static final int REQUESTS_TABLE = 1;

  private final AddressFamily family;
  private final byte[] pattern;
  private final int srcPort;

  /** Messages for a VIP's connections, each with the given number of packets. */
  FlowRemovedTemplate(AddressFamily family, int vip, int packets) {
    this.family = family;
    int addressOxmBytes = 4 + family.addressBytes;
    int matchBytes = 4 + 6 + 5 + 2 * addressOxmBytes + 6 + 6;
    int dstAddress = SRC_ADDRESS + addressOxmBytes;
    srcPort = dstAddress + addressOxmBytes;
    pattern = new byte[MATCH + (matchBytes + 7 & ~7)];
    pattern[0] = OpenFlow.VERSION;
    pattern[1] = OpenFlow.FLOW_REMOVED;
    Bytes.put16(pattern, 2, pattern.length);
    pattern[19] = REQUESTS_TABLE;
    Bytes.put32(pattern, 20, 2);
    Bytes.put64(pattern, 32, packets);
    Bytes.put64(pattern, 40, (long) packets * PacketInTemplate.synFrameBytes(family));
    Bytes.put16(pattern, MATCH, 1);
    Bytes.put16(pattern, MATCH + 2, matchBytes);
    int at = MATCH + 4;
    Bytes.put32(pattern, at, OpenFlow.oxm(OpenFlow.OXM_ETH_TYPE, 2));
    Bytes.put16(pattern, at + 4, family.etherType);
    Bytes.put32(pattern, at + 6, OpenFlow.oxm(OpenFlow.OXM_IP_PROTO, 1));
    pattern[at + 10] = OpenFlow.IP_PROTO_TCP;
    Bytes.put32(pattern, SRC_ADDRESS - 4, OpenFlow.oxm(family.oxmSource, family.addressBytes));
    Bytes.put32(pattern, dstAddress - 4, OpenFlow.oxm(family.oxmDestination, family.addressBytes));
    family.write(pattern, dstAddress, vip);
    Bytes.put32(pattern, srcPort - 4, OpenFlow.oxm(OpenFlow.OXM_TCP_SRC, 2));
    Bytes.put32(pattern, srcPort + 2, OpenFlow.oxm(OpenFlow.OXM_TCP_DST, 2));
    Bytes.put16(pattern, srcPort + 6, Scenario.VIP_TCP_PORT);
  }

  void append(Outbox outbox, long cookie, int priority, int idleSeconds, int address, int port) {
    int at = outbox.append(pattern.length);
    byte[] out = outbox.bytes();
    System.arraycopy(pattern, 0, out, at, pattern.length);
    Bytes.put32(out, at + 4, outbox.nextXid());
    Bytes.put64(out, at + 8, cookie);
    Bytes.put16(out, at + 16, priority);
    Bytes.put16(out, at + 28, idleSeconds);
    family.write(out, at + SRC_ADDRESS, address);
    Bytes.put16(out, at + srcPort, port);
  }
}
