package io.malob.bench.load;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The rules of one emulated switch as bytes, so that a controller that has been restarted can read
 * them back. Supports the operations of the controller: rules are added, and deleted by match, by
 * cookie, or all. On the event loop only.
 *
 * <p>A controller requests the rules of a few cookies at a time. Cookies and tables are in arrays
 * of their own, so that a search of 100,000 rules does not delay the load by milliseconds.
 */
final class RuleStore {
  private static final int FLOW_MOD_MATCH = 48;
  private static final int ENTRY_MATCH = 48;
  private static final int ENTRY_PRIORITY = 12;
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

  private static final byte[] FREE = {};

  /** The index of a rule in the arrays, by table, priority and match. */
  private final Map<ByteBuffer, Integer> places = new HashMap<>();

  private final Deque<Integer> freePlaces = new ArrayDeque<>();

  /** Rules as in a reply. */
  private byte[][] entries = new byte[1024][];

  private long[] cookies = new long[entries.length];
  private byte[] tables = new byte[entries.length];
  private int end;

  private final int[] byTable = new int[256];

  int size() {
    return places.size();
  }

  /** Receives rules. */
  interface Visitor {
    /** A rule. */
    void rule(int table, int priority, long cookie);
  }

  /** Visits all rules. */
  void forEach(Visitor visitor) {
    for (int place = 0; place < end; place++) {
      if (entries[place] != FREE) {
        visitor.rule(
            tables[place] & 0xff, Bytes.uint16(entries[place], ENTRY_PRIORITY), cookies[place]);
      }
    }
  }

  /** Takes a FLOW_MOD. */
  void flowMod(byte[] bytes, int at, int length) {
    int command = Bytes.uint8(bytes, at + 25);
    if (command == OpenFlow.FLOW_DELETE) {
      deleteAll(bytes, at);
      return;
    }
    ByteBuffer key = key(bytes, at);
    Integer place = places.get(key);
    if (command != OpenFlow.FLOW_DELETE_STRICT) {
      put(place == null ? newPlace(key) : place, entry(bytes, at, length));
    } else if (place != null && hasCookie(cookies[place], bytes, at + 8)) {
      remove(place);
    }
  }

  private int newPlace(ByteBuffer key) {
    Integer place = freePlaces.poll();
    if (place == null) {
      place = end++;
      if (place == entries.length) {
        entries = Arrays.copyOf(entries, 2 * place);
        cookies = Arrays.copyOf(cookies, 2 * place);
        tables = Arrays.copyOf(tables, 2 * place);
      }
      entries[place] = FREE;
    }
    places.put(key, place);
    return place;
  }

  private void put(int place, byte[] entry) {
    if (entries[place] == FREE) {
      byTable[entry[2] & 0xff]++;
    }
    entries[place] = entry;
    cookies[place] = Bytes.int64(entry, ENTRY_COOKIE);
    tables[place] = entry[2];
  }

  private void remove(int place) {
    byte[] entry = entries[place];
    byTable[entry[2] & 0xff]--;
    int matchBytes = Bytes.uint16(entry, ENTRY_MATCH + 2);
    ByteBuffer key = ByteBuffer.allocate(3 + matchBytes);
    key.put(entry[2]).put(entry, ENTRY_PRIORITY, 2).put(entry, ENTRY_MATCH, matchBytes);
    places.remove(key.flip());
    entries[place] = FREE;
    freePlaces.add(place);
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
    for (int place = 0; place < end; place++) {
      if (isIn(place, table)
          && hasCookie(cookies[place], bytes, at + 8)
          && (ofAnyMatch || hasMatch(entries[place], bytes, at + FLOW_MOD_MATCH, matchBytes))) {
        remove(place);
      }
    }
  }

  private boolean isIn(int place, int table) {
    return entries[place] != FREE
        && (table == OpenFlow.ALL_TABLES || table == (tables[place] & 0xff));
  }

  private static boolean hasMatch(byte[] entry, byte[] bytes, int match, int matchBytes) {
    int entryEnd = Math.min(entry.length, ENTRY_MATCH + matchBytes);
    return Arrays.equals(entry, ENTRY_MATCH, entryEnd, bytes, match, match + matchBytes);
  }

  /** Whether a rule matches the cookie and mask at a position. */
  private static boolean hasCookie(long entryCookie, byte[] bytes, int cookie) {
    long mask = Bytes.int64(bytes, cookie + 8);
    return ((entryCookie ^ Bytes.int64(bytes, cookie)) & mask) == 0;
  }

  /**
   * Answers a request for statistics; false if it is not about rules.
   *
   * @param nextTurn runs the next part of a long answer, after other work
   */
  boolean answer(byte[] bytes, int at, Outbox outbox, Executor nextTurn) {
    switch (Bytes.uint16(bytes, at + 8)) {
      case MULTIPART_FLOW -> new FlowsAnswer(bytes, at, outbox, nextTurn).run();
      case MULTIPART_TABLE -> answerTables(Bytes.int32(bytes, at + 4), outbox);
      default -> {
        return false;
      }
    }
    return true;
  }

  /** The answer to a request for rules: those at the time of the request, a part at each run. */
  private final class FlowsAnswer implements Runnable {
    private final List<byte[]> found = new ArrayList<>();
    private final int xid;
    private final Outbox outbox;
    private final Executor nextTurn;
    private int next;

    FlowsAnswer(byte[] request, int at, Outbox outbox, Executor nextTurn) {
      xid = Bytes.int32(request, at + 4);
      this.outbox = outbox;
      this.nextTurn = nextTurn;
      int table = Bytes.uint8(request, at + REPLY_HEADER);
      for (int place = 0; place < end; place++) {
        if (isIn(place, table) && hasCookie(cookies[place], request, at + REQUEST_COOKIE)) {
          found.add(entries[place]);
        }
      }
    }

    @Override
    public void run() {
      ByteBuffer reply = reply();
      while (next < found.size() && reply.position() + found.get(next).length <= MAX_REPLY) {
        reply.put(found.get(next++));
      }
      boolean more = next < found.size();
      send(reply, MULTIPART_FLOW, more, xid, outbox);
      outbox.flush();
      if (more) {
        nextTurn.execute(this);
      }
    }
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
