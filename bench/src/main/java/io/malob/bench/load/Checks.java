package io.malob.bench.load;

import java.util.Arrays;

/**
 * Members that answer health checks: a SYN from their VIP is accepted. Remembers when each came. On
 * the event loop only.
 */
final class Checks {
  private static final int ETHERNET_BYTES = 14;
  private static final int TCP_BYTES = 20;
  private static final int SYN = 2;
  private static final int SYN_ACK = 0x12;

  private final Scenario scenario;
  private final AddressFamily family;

  /** Where a frame has TCP. */
  private final int tcp;

  private long[] nanos = new long[1_024];
  private int count;

  Checks(Scenario scenario) {
    this.scenario = scenario;
    family = scenario.family();
    tcp = ETHERNET_BYTES + family.headerBytes;
  }

  /** Takes a frame that a switch should send; false if it is not part of a check. */
  boolean answer(int sw, Outbox outbox, byte[] bytes, int frame, int frameBytes, long now) {
    int site = scenario.siteOf(sw);
    int ip = frame + ETHERNET_BYTES;
    if (frameBytes < tcp + TCP_BYTES
        || Bytes.uint16(bytes, frame + 12) != family.etherType
        || Bytes.uint8(bytes, ip + family.protocolAt) != OpenFlow.IP_PROTO_TCP
        || family.source(bytes, ip) != scenario.vip(site)) {
      return false;
    }
    int member = family.destination(bytes, ip) - scenario.member(site, 0);
    if (member < 0 || member >= scenario.members()) {
      return false;
    }
    if (Bytes.uint8(bytes, frame + tcp + 13) == SYN) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = now;
      byte[] answer = synAck(bytes, frame);
      PacketInTemplate.other(outbox, scenario.memberPort(member), answer, 0, answer.length);
    }
    return true;
  }

  private byte[] synAck(byte[] bytes, int frame) {
    byte[] answer = Arrays.copyOfRange(bytes, frame, frame + tcp + TCP_BYTES);
    Bytes.put48(answer, 0, Bytes.uint48(bytes, frame + 6));
    Bytes.put48(answer, 6, Bytes.uint48(bytes, frame));
    if (family == AddressFamily.IPV4) {
      Bytes.put16(answer, ETHERNET_BYTES + 2, family.headerBytes + TCP_BYTES);
    } else {
      Bytes.put16(answer, ETHERNET_BYTES + 4, TCP_BYTES);
    }
    int ip = frame + ETHERNET_BYTES;
    int source = ETHERNET_BYTES + family.sourceAt;
    family.write(answer, source, family.destination(bytes, ip));
    family.write(answer, source + family.addressBytes, family.source(bytes, ip));
    Bytes.put16(answer, tcp, Bytes.uint16(bytes, frame + tcp + 2));
    Bytes.put16(answer, tcp + 2, Bytes.uint16(bytes, frame + tcp));
    Bytes.put32(answer, tcp + 4, 1);
    Bytes.put32(answer, tcp + 8, Bytes.int32(bytes, frame + tcp + 4) + 1);
    answer[tcp + 12] = 5 << 4;
    answer[tcp + 13] = SYN_ACK;
    Bytes.put16(answer, tcp + 16, 0);
    Bytes.put16(
        answer,
        tcp + 16,
        Bytes.checksum(
            Bytes.sum(answer, source, 2 * family.addressBytes)
                + Bytes.sum(answer, tcp, TCP_BYTES)
                + OpenFlow.IP_PROTO_TCP
                + TCP_BYTES));
    return answer;
  }

  /** The arrival times of the checks since the last call, in order. */
  long[] take() {
    long[] taken = Arrays.copyOf(nanos, count);
    count = 0;
    return taken;
  }
}
