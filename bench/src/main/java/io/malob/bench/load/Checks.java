package io.malob.bench.load;

import java.util.Arrays;

/**
 * Members that answer health checks over IPv4: a SYN from their VIP is accepted. Remembers when
 * each came. On the event loop only.
 */
final class Checks {
  private static final int TCP = 34;
  private static final int FRAME_BYTES = 54;
  private static final int SYN = 2;
  private static final int SYN_ACK = 0x12;

  private final Scenario scenario;
  private long[] nanos = new long[1_024];
  private int count;

  Checks(Scenario scenario) {
    this.scenario = scenario;
  }

  /** Takes a frame that a switch should send; false if it is not part of a check. */
  boolean answer(int sw, Outbox outbox, byte[] bytes, int frame, int frameBytes, long now) {
    int site = scenario.siteOf(sw);
    if (scenario.family() != AddressFamily.IPV4
        || frameBytes < FRAME_BYTES
        || Bytes.uint8(bytes, frame + 23) != OpenFlow.IP_PROTO_TCP
        || Bytes.int32(bytes, frame + 26) != scenario.vip(site)) {
      return false;
    }
    int member = Bytes.int32(bytes, frame + 30) - scenario.member(site, 0);
    if (member < 0 || member >= scenario.members()) {
      return false;
    }
    if (Bytes.uint8(bytes, frame + TCP + 13) == SYN) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = now;
      byte[] answer = synAck(bytes, frame);
      PacketInTemplate.other(outbox, scenario.memberPort(member), answer, 0, answer.length);
    }
    return true;
  }

  private static byte[] synAck(byte[] bytes, int frame) {
    byte[] answer = Arrays.copyOfRange(bytes, frame, frame + FRAME_BYTES);
    Bytes.put48(answer, 0, Bytes.uint48(bytes, frame + 6));
    Bytes.put48(answer, 6, Bytes.uint48(bytes, frame));
    Bytes.put16(answer, 16, FRAME_BYTES - 14);
    Bytes.put32(answer, 26, Bytes.int32(bytes, frame + 30));
    Bytes.put32(answer, 30, Bytes.int32(bytes, frame + 26));
    Bytes.put16(answer, TCP, Bytes.uint16(bytes, frame + TCP + 2));
    Bytes.put16(answer, TCP + 2, Bytes.uint16(bytes, frame + TCP));
    Bytes.put32(answer, TCP + 4, 1);
    Bytes.put32(answer, TCP + 8, Bytes.int32(bytes, frame + TCP + 4) + 1);
    answer[TCP + 12] = 5 << 4;
    answer[TCP + 13] = SYN_ACK;
    Bytes.put16(answer, TCP + 16, 0);
    Bytes.put16(
        answer,
        TCP + 16,
        Bytes.checksum(
            Bytes.sum(answer, 26, 8)
                + Bytes.sum(answer, TCP, 20)
                + OpenFlow.IP_PROTO_TCP
                + (FRAME_BYTES - TCP)));
    return answer;
  }

  /** The arrival times of the checks since the last call, in order. */
  long[] take() {
    long[] taken = Arrays.copyOf(nanos, count);
    count = 0;
    return taken;
  }
}
