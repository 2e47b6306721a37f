package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection.Dormancy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Dormant connections of a {@link ConnectionTable}: rows in a few arrays, about 80 bytes each,
 * without an object per connection. Rows are found by request and by reply, and are linked in the
 * order in which they came. The arrays grow with the number of rows, and are dropped when there are
 * none.
 *
 * <p>A lock of the table guards it. {@link #find} may also be called without that lock: its answer
 * is worth something only if nothing was written meanwhile.
 */
final class DormantConnections {
  /** There is no such row. */
  static final int NONE = -1;

  /** The row could not be sought without the lock. */
  static final int UNSURE = -2;

  private static final int MIN_CAPACITY = 64;

  /** Beyond the expected number of rows, the arrays grow by this or by an eighth. */
  private static final int SLACK = 32;

  /** A longer chain is followed with the lock only: without it, a torn chain may be a circle. */
  private static final int MAX_STEPS = 64;

  /** How many numbers a row has: 64 bytes, so that a row is one or two cache lines. */
  private static final int LONGS = 8;

  private static final int ADDRESSES = 0;

  /** The lower 40 bits are those of the five-tuple; VIP, algorithm and end are above. */
  private static final int PORTS = 1;

  private static final int SINCE = 4;
  private static final int OPENED = 5;
  private static final int RELOCATED = 6;

  /** The lower 32 bits are the generation. */
  private static final int GENERATION = 7;

  private static final long PORTS_MASK = (1L << 40) - 1;
  private static final int VIP_SHIFT = 40;
  private static final int VIP_MASK = 0xfff;
  private static final int ALGORITHM_SHIFT = 52;
  private static final int ALGORITHM_MASK = 0x7ff;
  private static final long ENDED = 1L << 63;

  /** In the number of the generation: others hold on to the connection's object. */
  private static final long HELD = 1L << 63;

  // row numbers: halves of the numbers between those of the five-tuple and the times
  private static final int NEXT_OF_REQUEST = 4;
  private static final int NEXT_OF_REPLY = 5;
  private static final int OLDER = 6;

  /** The row that came next; of a free row, the next free one. */
  private static final int YOUNGER = 7;

  private final int maxRows;

  /** The algorithms of the rows; few, because there are few. */
  private final List<Algorithm> algorithms = new ArrayList<>();

  private long[] longs = new long[0];
  private @Nullable Server[] servers = new Server[0];
  private @Nullable Attachment[] clients = new Attachment[0];

  /** The objects of connections that others hold on to, by row; few. */
  private final Map<Integer, Connection> held = new HashMap<>();

  private int[] requestHeads = new int[0];
  private int[] replyHeads = new int[0];

  private int oldest = NONE;
  private int youngest = NONE;
  private int free = NONE;
  private final AtomicInteger size = new AtomicInteger();

  /**
   * No rows.
   *
   * @param maxRows how many rows are expected at the max; more are taken for a moment
   */
  DormantConnections(int maxRows) {
    this.maxRows = maxRows;
  }

  /** How many rows there are. May be called by any thread. */
  int size() {
    return size.get();
  }

  /** All rows are numbered below this. */
  int capacity() {
    return servers.length;
  }

  /** How many bytes the arrays take. */
  long bytes() {
    return 8L * longs.length
        + 4L * (requestHeads.length + replyHeads.length)
        + 4L * (servers.length + clients.length);
  }

  /** Adds a row for a connection that has just become dormant. */
  void add(Connection connection) {
    if (free == NONE) {
      grow();
    }
    int row = free;
    free = link(row, YOUNGER);
    FiveTuple request = connection.request();
    longs[row * LONGS + ADDRESSES] = request.addresses();
    longs[row * LONGS + PORTS] =
        request.protocolAndPorts()
            | (long) connection.vipNumber() << VIP_SHIFT
            | (long) numberOf(connection.algorithm()) << ALGORITHM_SHIFT;
    longs[row * LONGS + GENERATION] = Integer.toUnsignedLong(connection.generation());
    if (connection.isHeld()) {
      longs[row * LONGS + GENERATION] |= HELD;
      held.put(row, connection);
    }
    put(row, connection.dormancy());
    chain(row);
    setLink(row, OLDER, youngest);
    setLink(row, YOUNGER, NONE);
    if (youngest == NONE) {
      oldest = row;
    } else {
      setLink(youngest, YOUNGER, row);
    }
    youngest = row;
    size.incrementAndGet();
  }

  /** One of the row numbers in a row. */
  private int link(int row, int which) {
    return (int) (longs[row * LONGS + (which >> 1)] >>> shiftOf(which));
  }

  private void setLink(int row, int which, int value) {
    int at = row * LONGS + (which >> 1);
    long others = longs[at] & ~(0xffff_ffffL << shiftOf(which));
    longs[at] = others | Integer.toUnsignedLong(value) << shiftOf(which);
  }

  private static int shiftOf(int which) {
    return (which & 1) * Integer.SIZE;
  }

  private int numberOf(Algorithm algorithm) {
    int number = algorithms.indexOf(algorithm);
    if (number < 0) {
      number = algorithms.size();
      algorithms.add(algorithm);
    }
    return number;
  }

  /** What changes while the connection is dormant. Its member keeps its address and port. */
  void put(int row, Dormancy content) {
    int at = row * LONGS;
    longs[at + PORTS] = content.wasEnded() ? longs[at + PORTS] | ENDED : longs[at + PORTS] & ~ENDED;
    longs[at + OPENED] = content.openedAtNanos();
    longs[at + SINCE] = content.sinceNanos();
    longs[at + RELOCATED] = content.relocatedAtNanos();
    servers[row] = content.server();
    clients[row] = content.client();
  }

  /** Since when the connection of a row has been dormant. */
  long sinceNanos(int row) {
    return longs[row * LONGS + SINCE];
  }

  /** The row that came first; {@link #NONE} if there is none. */
  int oldest() {
    return oldest;
  }

  /** What changes while the connection of a row is dormant. */
  Dormancy content(int row) {
    @Nullable Server server = servers[row];
    @Nullable Attachment client = clients[row];
    if (server == null || client == null) {
      throw new IllegalArgumentException("row " + row + " is free");
    }
    int at = row * LONGS;
    return new Dormancy(
        server,
        client,
        (longs[at + PORTS] & ENDED) != 0,
        longs[at + OPENED],
        longs[at + SINCE],
        longs[at + RELOCATED]);
  }

  /** The connection of a row as an object; null if the row is free or its request not wanted. */
  @Nullable Connection picture(int row, Predicate<FiveTuple> wanted) {
    return servers[row] != null && wanted.test(requestOf(row)) ? picture(row) : null;
  }

  /** The connection of a row as an object; null if the row is free. */
  @Nullable Connection picture(int row) {
    if (servers[row] == null) {
      return null;
    }
    if (isHeld(row)) {
      return held.get(row);
    }
    long more = longs[row * LONGS + PORTS];
    return Connection.dormant(
        new FiveTuple(longs[row * LONGS + ADDRESSES], more & PORTS_MASK),
        (int) (more >>> VIP_SHIFT) & VIP_MASK,
        algorithms.get((int) (more >>> ALGORITHM_SHIFT) & ALGORITHM_MASK),
        (int) longs[row * LONGS + GENERATION],
        content(row));
  }

  private boolean isHeld(int row) {
    return (longs[row * LONGS + GENERATION] & HELD) != 0;
  }

  /** The row of a connection, and not of a later one with its five-tuple. */
  int find(Connection connection) {
    int row = find(connection.request(), false, Integer.MAX_VALUE);
    boolean isSame =
        row >= 0
            && (int) longs[row * LONGS + GENERATION] == connection.generation()
            && isReply(longs, row, connection.reply());
    return isSame ? row : NONE;
  }

  /** The row of a five-tuple. To be called with the lock. */
  int find(FiveTuple tuple, boolean isReply) {
    return find(tuple, isReply, Integer.MAX_VALUE);
  }

  /**
   * The row of a five-tuple, {@link #NONE} or {@link #UNSURE}. May be called without the lock, if
   * the caller finds out afterwards whether anything was written.
   */
  int findOptimistically(FiveTuple tuple, boolean isReply) {
    return size.get() == 0 ? NONE : find(tuple, isReply, MAX_STEPS);
  }

  private int find(FiveTuple tuple, boolean isReply, int maxSteps) {
    int[] heads = isReply ? replyHeads : requestHeads;
    long[] values = longs;
    int next = isReply ? NEXT_OF_REPLY : NEXT_OF_REQUEST;
    if (heads.length == 0) {
      return NONE;
    }
    int row = heads[bucket(tuple, heads)];
    for (int steps = 0; row != NONE; steps++) {
      if (steps >= maxSteps || row * LONGS >= values.length) {
        return UNSURE;
      }
      if (isReply ? isReply(values, row, tuple) : isRequest(values, row, tuple)) {
        return row;
      }
      row = (int) (values[row * LONGS + (next >> 1)] >>> shiftOf(next));
    }
    return NONE;
  }

  private static int bucket(FiveTuple tuple, int[] heads) {
    long hash = Integer.toUnsignedLong(TupleHash.SECRET.of(tuple));
    return (int) ((hash * heads.length) >>> Integer.SIZE);
  }

  private static boolean isRequest(long[] values, int row, FiveTuple tuple) {
    int at = row * LONGS;
    return values[at + ADDRESSES] == tuple.addresses()
        && (values[at + PORTS] & PORTS_MASK) == tuple.protocolAndPorts();
  }

  /**
   * Compares the client's side first, which is in the row itself: most other rows differ there.
   * Reads the arrays as they may be at any moment.
   */
  private boolean isReply(long[] values, int row, FiveTuple tuple) {
    int at = row * LONGS;
    long ports = values[at + PORTS];
    if ((int) (values[at + ADDRESSES] >>> 32) != tuple.dstAddress()
        || ((int) (ports >>> 16) & 0xffff) != tuple.dstPort()
        || ((int) (ports >>> 32) & 0xff) != tuple.protocol()) {
      return false;
    }
    @Nullable Server[] members = servers;
    @Nullable Server server = row < members.length ? members[row] : null;
    return server != null
        && server.address() == tuple.srcAddress()
        && Connection.portAtMember((int) ports & 0xffff, server) == tuple.srcPort();
  }

  /** Removes a row. */
  void remove(int row) {
    unchain(requestHeads, requestOf(row), row, NEXT_OF_REQUEST);
    unchain(replyHeads, replyOf(row), row, NEXT_OF_REPLY);
    int older = link(row, OLDER);
    int younger = link(row, YOUNGER);
    if (older == NONE) {
      oldest = younger;
    } else {
      setLink(older, YOUNGER, younger);
    }
    if (younger == NONE) {
      youngest = older;
    } else {
      setLink(younger, OLDER, older);
    }
    if (isHeld(row)) {
      held.remove(row);
    }
    servers[row] = null;
    clients[row] = null;
    setLink(row, YOUNGER, free);
    free = row;
    if (size.decrementAndGet() == 0 && capacity() > MIN_CAPACITY) {
      free = NONE;
      resize(0);
    }
  }

  private FiveTuple requestOf(int row) {
    return new FiveTuple(longs[row * LONGS + ADDRESSES], longs[row * LONGS + PORTS] & PORTS_MASK);
  }

  private FiveTuple replyOf(int row) {
    return Connection.atMember(requestOf(row), content(row).server()).reversed();
  }

  private void chain(int row) {
    chain(requestHeads, requestOf(row), row, NEXT_OF_REQUEST);
    chain(replyHeads, replyOf(row), row, NEXT_OF_REPLY);
  }

  private void chain(int[] heads, FiveTuple tuple, int row, int next) {
    int head = bucket(tuple, heads);
    setLink(row, next, heads[head]);
    heads[head] = row;
  }

  private void unchain(int[] heads, FiveTuple tuple, int row, int next) {
    int head = bucket(tuple, heads);
    int after = link(row, next);
    if (heads[head] == row) {
      heads[head] = after;
      return;
    }
    int before = heads[head];
    while (link(before, next) != row) {
      before = link(before, next);
    }
    setLink(before, next, after);
  }

  /** Doubles the arrays, but not far beyond what is expected at the max. */
  private void grow() {
    long doubled = Math.max(MIN_CAPACITY, 2L * capacity());
    long bound =
        capacity() < maxRows
            ? maxRows + (long) SLACK
            : capacity() + (long) Math.max(SLACK, capacity() / 8);
    int before = capacity();
    resize((int) Math.min(doubled, bound));
    for (int row = capacity() - 1; row >= before; row--) {
      setLink(row, YOUNGER, free);
      free = row;
    }
  }

  private void resize(int capacity) {
    longs = Arrays.copyOf(longs, capacity * LONGS);
    servers = Arrays.copyOf(servers, capacity);
    clients = Arrays.copyOf(clients, capacity);
    requestHeads = new int[capacity];
    replyHeads = new int[capacity];
    Arrays.fill(requestHeads, NONE);
    Arrays.fill(replyHeads, NONE);
    for (int row = oldest; row != NONE; row = link(row, YOUNGER)) {
      chain(row);
    }
  }
}
