package io.malob.bench.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The rules of one emulated switch as bytes, so that a controller that has been restarted can read
 * them back. Knows what the controller uses: rules are added, and deleted by match, by cookie, or
 * all. On the event loop only.
 */
final class RuleStore {
  private static final int FLOW_MOD_MATCH = 48;
  private static final int ENTRY_MATCH = 48;
  private static final int ENTRY_COOKIE = 24;
  private static final int REPLY_HEADER = 16;
  private static final int MAX_REPLY = 60_000;
  private static final int MULTIPART_REPLY = 19;
  private static final int MULTIPART_FLOW = 1;
  private static final int MULTIPART_TABLE = 3;
  private static final int TABLE_ENTRY_BYTES = 24;
  private static final int REQUEST_COOKIE = 32;
  private static final int EMPTY_MATCH_BYTES = 4;
  private static final int TABLES = 254;

  /** Entries as in a reply, by table, priority and match. */
  private final Map<ByteBuffer, byte[]> entries = new LinkedHashMap<>();

  private final int[] byTable = new int[256];

  int size() {
    return entries.size();
  }

  /** Takes a FLOW_MOD. */
  void flowMod(byte[] bytes, int at, int length) {
    int command = Bytes.uint8(bytes, at + 25);
    if (command == OpenFlow.FLOW_DELETE) {
      deleteAll(bytes, at);
      return;
    }
    ByteBuffer key = key(bytes, at);
    byte[] before = entries.get(key);
    if (command == OpenFlow.FLOW_DELETE_STRICT) {
      if (before != null && hasCookie(before, bytes, at + 8)) {
        entries.remove(key);
        byTable[before[2] & 0xff]--;
      }
    } else {
      byte[] entry = entry(bytes, at, length);
      byTable[entry[2] & 0xff] += before == null ? 1 : 0;
      entries.put(key, entry);
    }
  }

  private static ByteBuffer key(byte[] bytes, int at) {
    int matchBytes = Bytes.uint16(bytes, at + FLOW_MOD_MATCH + 2);
    ByteBuffer key = ByteBuffer.allocate(3 + matchBytes);
    key.put(bytes[at + 24]).put(bytes, at + 30, 2).put(bytes, at + FLOW_MOD_MATCH, matchBytes);
    return key.flip();
  }

  private static byte[] entry(byte[] bytes, int at, int length) {
    byte[] entry = new byte[ENTRY_MATCH + length - FLOW_MOD_MATCH];
    ByteBuffer out = ByteBuffer.wrap(entry);
    out.putShort((short) entry.length).put(bytes[at + 24]);
    // a second old; then priority, time-outs, flags and cookie as in the FLOW_MOD
    out.position(4).putInt(1).putInt(0).put(bytes, at + 30, 2).put(bytes, at + 26, 4);
    out.put(bytes, at + 44, 2).position(ENTRY_COOKIE).put(bytes, at + 8, 8);
    System.arraycopy(bytes, at + FLOW_MOD_MATCH, entry, ENTRY_MATCH, entry.length - ENTRY_MATCH);
    return entry;
  }

  private void deleteAll(byte[] bytes, int at) {
    int table = Bytes.uint8(bytes, at + 24);
    boolean ofAnyMatch = Bytes.uint16(bytes, at + FLOW_MOD_MATCH + 2) == EMPTY_MATCH_BYTES;
    int matchBytes = Bytes.uint16(bytes, at + FLOW_MOD_MATCH + 2);
    entries
        .values()
        .removeIf(
            entry -> {
              boolean gone =
                  (table == OpenFlow.ALL_TABLES || table == (entry[2] & 0xff))
                      && hasCookie(entry, bytes, at + 8)
                      && (ofAnyMatch
                          || Arrays.equals(
                              entry,
                              ENTRY_MATCH,
                              Math.min(entry.length, ENTRY_MATCH + matchBytes),
                              bytes,
                              at + FLOW_MOD_MATCH,
                              at + FLOW_MOD_MATCH + matchBytes));
              byTable[entry[2] & 0xff] -= gone ? 1 : 0;
              return gone;
            });
  }

  /** Whether a rule has the cookie that stands at a place, as far as the mask after it says. */
  private static boolean hasCookie(byte[] entry, byte[] bytes, int cookie) {
    long mask = Bytes.int64(bytes, cookie + 8);
    return ((Bytes.int64(entry, ENTRY_COOKIE) ^ Bytes.int64(bytes, cookie)) & mask) == 0;
  }

  /** Answers a request for statistics; false if it is not about rules. */
  boolean answer(byte[] bytes, int at, Outbox outbox) {
    switch (Bytes.uint16(bytes, at + 8)) {
      case MULTIPART_FLOW -> answerFlows(bytes, at, outbox);
      case MULTIPART_TABLE -> answerTables(Bytes.int32(bytes, at + 4), outbox);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void answerFlows(byte[] bytes, int at, Outbox outbox) {
    int table = Bytes.uint8(bytes, at + REPLY_HEADER);
    ByteBuffer reply = reply();
    for (byte[] entry : entries.values()) {
      if ((table == OpenFlow.ALL_TABLES || table == (entry[2] & 0xff))
          && hasCookie(entry, bytes, at + REQUEST_COOKIE)) {
        if (reply.position() + entry.length > MAX_REPLY) {
          send(reply, MULTIPART_FLOW, true, Bytes.int32(bytes, at + 4), outbox);
          reply = reply();
        }
        reply.put(entry);
      }
    }
    send(reply, MULTIPART_FLOW, false, Bytes.int32(bytes, at + 4), outbox);
  }

  private void answerTables(int xid, Outbox outbox) {
    ByteBuffer reply = reply();
    for (int table = 0; table < TABLES; table++) {
      reply.put((byte) table).position(REPLY_HEADER + table * TABLE_ENTRY_BYTES + 4);
      reply.putInt(byTable[table]).putLong(0).putLong(0);
    }
    send(reply, MULTIPART_TABLE, false, xid, outbox);
  }

  private static ByteBuffer reply() {
    return ByteBuffer.wrap(new byte[MAX_REPLY]).position(REPLY_HEADER);
  }

  private static void send(ByteBuffer reply, int type, boolean more, int xid, Outbox outbox) {
    int length = reply.position();
    reply.put(0, (byte) OpenFlow.VERSION).put(1, (byte) MULTIPART_REPLY);
    reply.putShort(2, (short) length).putInt(4, xid);
    reply.putShort(8, (short) type).putShort(10, (short) (more ? 1 : 0));
    byte[] message = new byte[length];
    reply.get(0, message);
    outbox.append(message, 0, length);
  }
}
