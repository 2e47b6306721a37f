package io.malob.bench.load;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * PACKET_IN messages with invalid reports, as from switches without a meter: every second one is
 * valid except for its signature and comes from an agent's address, the others are garbage from
 * random addresses. On the event loop only.
 */
final class ReportFlood {
  /** A known agent's. */
  static final int AGENT_ADDRESS = 0x0a7f_0001; // 10.127.0.1

  private static final int FRAME = 42;
  private static final int IP = FRAME + 14;
  private static final int UDP = IP + 20;
  private static final int PAYLOAD = UDP + 8;
  private static final int REASON_ACTION = 1;
  private static final int REPORT_COOKIE = 0x6529_0000;
  private static final int SERVER_REPORTS = 0xc0a8_0913; // 192.168.9.19
  private static final int PORT = 9_876;
  private static final int IP_PROTO_UDP = 17;
  private static final long MAC = 0x0203_0000_0001L;

  private final Outbox outbox;
  private final Random random = new Random(1);
  private final byte[] likely = message(likelyReport());
  private final byte[] garbage;
  private int perSecond;
  private long startNanos;
  private long sent;

  ReportFlood(Outbox outbox) {
    this.outbox = outbox;
    byte[] noise = new byte[300];
    random.nextBytes(noise);
    this.garbage = message(noise);
  }

  /** Sends the given number per second from now on; 0 stops it. */
  void start(int newPerSecond, long now) {
    perSecond = newPerSecond;
    startNanos = now;
    sent = 0;
  }

  /** How many were sent since it was started. */
  long sent() {
    return sent;
  }

  /** Appends the due messages. */
  void pump(long now) {
    long due = (long) ((now - startNanos) / 1e9 * perSecond);
    for (; sent < due; sent++) {
      boolean looksRight = sent % 2 == 0;
      byte[] message = looksRight ? likely : garbage;
      int at = outbox.append(message.length);
      byte[] out = outbox.bytes();
      System.arraycopy(message, 0, out, at, message.length);
      Bytes.put32(out, at + 4, outbox.nextXid());
      Bytes.put32(out, at + IP + 12, looksRight ? AGENT_ADDRESS : random.nextInt());
    }
  }

  private static byte[] likelyReport() {
    String json =
        "{\"agent\":\"flooded\",\"boot\":\"00000000000000aa\",\"sequence\":7,"
            + "\"time_ms\":1800000000000,\"uptime_ms\":1000,"
            + "\"server\":{\"cpu\":0.25,\"connections\":{\"80\":7},\"response_ms\":1.5}}";
    return ("malob-report 1 flooded " + "0123456789abcdef".repeat(4) + "\n" + json)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] message(byte[] payload) {
    byte[] message = new byte[PAYLOAD + payload.length];
    PacketInTemplate.head(message, 0, message.length - FRAME);
    message[14] = REASON_ACTION;
    Bytes.put32(message, 16, REPORT_COOKIE);
    Bytes.put32(message, 32, 1);
    Bytes.put48(message, FRAME, MAC);
    Bytes.put48(message, FRAME + 6, MAC);
    Bytes.put16(message, FRAME + 12, OpenFlow.ETHERTYPE_IPV4);
    message[IP] = 0x45;
    Bytes.put16(message, IP + 2, message.length - IP);
    message[IP + 8] = 64;
    message[IP + 9] = IP_PROTO_UDP;
    Bytes.put32(message, IP + 16, SERVER_REPORTS);
    Bytes.put16(message, UDP, PORT);
    Bytes.put16(message, UDP + 2, PORT);
    Bytes.put16(message, UDP + 4, message.length - UDP);
    System.arraycopy(payload, 0, message, PAYLOAD, payload.length);
    return message;
  }
}
