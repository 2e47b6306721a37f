package io.malob.bench.load;

/** FLOW_REMOVED messages of request rules that were idle for too long, patched from a pattern. */
final class FlowRemovedTemplate {
  private static final int BYTES = 96;
  private static final int MATCH = 48;
  private static final int SRC_ADDRESS = MATCH + 4 + 6 + 5 + 4;
  private static final int SRC_PORT = SRC_ADDRESS + 4 + 8 + 4;
  private static final int REQUESTS_TABLE = 1;

  private final byte[] pattern = new byte[BYTES];

  /** Messages for a VIP's connections, each with the given number of packets. */
  FlowRemovedTemplate(int vip, int packets) {
    pattern[0] = OpenFlow.VERSION;
    pattern[1] = OpenFlow.FLOW_REMOVED;
    Bytes.put16(pattern, 2, BYTES);
    pattern[19] = REQUESTS_TABLE;
    Bytes.put32(pattern, 20, 2);
    Bytes.put64(pattern, 32, packets);
    Bytes.put64(pattern, 40, (long) packets * PacketInTemplate.SYN_FRAME_BYTES);
    Bytes.put16(pattern, MATCH, 1);
    Bytes.put16(pattern, MATCH + 2, 4 + 6 + 5 + 8 + 8 + 6 + 6);
    int at = MATCH + 4;
    Bytes.put32(pattern, at, OpenFlow.oxm(OpenFlow.OXM_ETH_TYPE, 2));
    Bytes.put16(pattern, at + 4, OpenFlow.ETHERTYPE_IPV4);
    Bytes.put32(pattern, at + 6, OpenFlow.oxm(OpenFlow.OXM_IP_PROTO, 1));
    pattern[at + 10] = OpenFlow.IP_PROTO_TCP;
    Bytes.put32(pattern, at + 11, OpenFlow.oxm(OpenFlow.OXM_IPV4_SRC, 4));
    Bytes.put32(pattern, at + 19, OpenFlow.oxm(OpenFlow.OXM_IPV4_DST, 4));
    Bytes.put32(pattern, at + 23, vip);
    Bytes.put32(pattern, at + 27, OpenFlow.oxm(OpenFlow.OXM_TCP_SRC, 2));
    Bytes.put32(pattern, at + 33, OpenFlow.oxm(OpenFlow.OXM_TCP_DST, 2));
    Bytes.put16(pattern, at + 37, Scenario.VIP_TCP_PORT);
  }

  void append(Outbox outbox, long cookie, int priority, int idleSeconds, int address, int port) {
    int at = outbox.append(BYTES);
    byte[] out = outbox.bytes();
    System.arraycopy(pattern, 0, out, at, BYTES);
    Bytes.put32(out, at + 4, outbox.nextXid());
    Bytes.put64(out, at + 8, cookie);
    Bytes.put16(out, at + 16, priority);
    Bytes.put16(out, at + 28, idleSeconds);
    Bytes.put32(out, at + SRC_ADDRESS, address);
    Bytes.put16(out, at + SRC_PORT, port);
  }
}
