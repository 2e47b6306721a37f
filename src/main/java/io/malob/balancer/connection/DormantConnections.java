package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Dormant connections of a {@link ConnectionTable}: rows in a few arrays, about 80 bytes each,
 * without an object per connection. Rows are found by request and by reply. The arrays grow with
 * the number of rows, and are dropped when there are none.
 *
 * <p>Rows are linked in the order in which they came, in two lists. Those of connections that were
 * not {@linkplain Connection#isAnswered answered}, or that their client has ended, are spare: they
 * give way to all others, the oldest first. The others share the room: the VIP with the most rows
 * gives way, and of its clients the one with the most rows ({@link FairShares}).
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

  /** How many numbers a row has: 56 bytes, so that a row is one or two cache lines. */
  private static final int LONGS = 7;

  private static final int ADDRESSES = 0;

  /** The lower 40 bits are those of the five-tuple; VIP, algorithm and end are above. */
  private static final int PORTS = 1;

  private static final int SINCE = 3;
  private static final int OPENED = 4;
  private static final int RELOCATED = 5;

  /** The lower 32 bits are the generation. */
  private static final int GENERATION = 6;

  private static final long PORTS_MASK = (1L << 40) - 1;
  private static final int VIP_SHIFT = 40;
  private static final int VIP_MASK = 0xfff;
  private static final int ALGORITHM_SHIFT = 52;
  private static final int ALGORITHM_MASK = 0x7ff;
  private static final long ENDED = 1L << 63;

  /** In the number of the generation: others hold on to the connection's object. */
  private static final long HELD = 1L << 63;

  /** In the number of the generation: the connection was answered. */
  private static final long ANSWERED = 1L << 62;

  /** In the number of the generation: the row is among the next ones to give way. */
  private static final long CHOSEN = 1L << 61;

  // the lists
  private static final int SPARE = 0;
  private static final int SHARED = 1;

  /** So many rows are chosen at a time: one of this number. */
  private static final int CHOSEN_PART = 8;

  // row numbers: halves of the number between those of the five-tuple and the times
  private static final int NEXT_OF_REQUEST = 4;
  private static final int NEXT_OF_REPLY = 5;

  private final int maxRows;
  private final FairShares fairShares;

  /** The algorithms of the rows; few, because there are few. */
  private final List<Algorithm> algorithms = new ArrayList<>();

  private long[] longs = new long[0];
  private @Nullable Server[] servers = new Server[0];
  private @Nullable Attachment[] clients = new Attachment[0];

  /** The objects of connections that others hold on to, by row; few. */
  private final Map<Integer, Connection> held = new HashMap<>();

  private int[] requestHeads = new int[0];
  private int[] replyHeads = new int[0];

  private final RowLists lists = new RowLists(2);

  /** The shared rows that give way next, from a position on. */
  private int[] chosen = new int[0];

  private int nextChosen;

  private final AtomicInteger size = new AtomicInteger();

  /**
   * No rows.
   *
   * @param maxRows how many rows are expected at the max; more are taken for a moment
   * @param fairShares may be shared with others
   */
  DormantConnections(int maxRows, FairShares fairShares) {
    this.maxRows = maxRows;
    this.fairShares = fairShares;
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
        + 4L * (servers.length + clients.length)
        + lists.bytes();
  }

  /** Adds a row for a connection that has just become dormant. */
  void add(Connection connection) {
    int row = lists.takeFree();
    if (row == NONE) {
      grow();
      row = lists.takeFree();
    }
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
    write(row, connection.dormancy());
    chain(row);
    lists.append(row, listOf(row));
    size.incrementAndGet();
  }

  private int listOf(int row) {
    boolean isShared =
        (longs[row * LONGS + GENERATION] & ANSWERED) != 0
            && (longs[row * LONGS + PORTS] & ENDED) == 0;
    return isShared ? SHARED : SPARE;
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
    boolean changesList = isShared(content) != (listOf(row) == SHARED);
    if (changesList) {
      lists.takeOut(row, listOf(row));
    }
    write(row, content);
    if (changesList) {
      lists.append(row, listOf(row));
    }
  }

  private static boolean isShared(Dormancy content) {
    return content.isAnswered() && !content.isEnded();
  }

  private void write(int row, Dormancy content) {
    int at = row * LONGS;
    longs[at + PORTS] = content.isEnded() ? longs[at + PORTS] | ENDED : longs[at + PORTS] & ~ENDED;
    longs[at + GENERATION] =
        content.isAnswered()
            ? longs[at + GENERATION] | ANSWERED
            : longs[at + GENERATION] & ~ANSWERED;
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

  /** A row that has been there for so long; {@link #NONE} if there is none. */
  int olderThan(long nanos, long nowNanos) {
    int spare = lists.oldest(SPARE);
    int row = isOlderThan(spare, nanos, nowNanos) ? spare : lists.oldest(SHARED);
    return isOlderThan(row, nanos, nowNanos) ? row : NONE;
  }

  private boolean isOlderThan(int row, long nanos, long nowNanos) {
    return row != NONE && nowNanos - sinceNanos(row) >= nanos;
  }

  /** The row that is to give way to others; {@link #NONE} if there is none. */
  int next() {
    int spare = lists.oldest(SPARE);
    return spare == NONE && lists.size(SHARED) > 0 ? nextShared() : spare;
  }

  private int nextShared() {
    while (true) {
      while (nextChosen < chosen.length) {
        int row = chosen[nextChosen++];
        // it may have gone meanwhile, or be another connection's or spare by now
        if ((longs[row * LONGS + GENERATION] & CHOSEN) != 0 && listOf(row) == SHARED) {
          return row;
        }
      }
      choose();
    }
  }

  /** Chooses some rows at a time, because that takes time in proportion to all of them. */
  private void choose() {
    synchronized (fairShares) {
      for (int row = lists.oldest(SHARED); row != NONE; row = lists.younger(row)) {
        fairShares.add(row, vipOf(row), (int) (longs[row * LONGS + ADDRESSES] >>> Integer.SIZE));
      }
      chosen = fairShares.takeFirst(Math.max(1, lists.size(SHARED) / CHOSEN_PART));
    }
    nextChosen = 0;
    for (int row : chosen) {
      longs[row * LONGS + GENERATION] |= CHOSEN;
    }
  }

  private int vipOf(int row) {
    return (int) (longs[row * LONGS + PORTS] >>> VIP_SHIFT) & VIP_MASK;
  }

  /** What changes while the connection of a row is dormant. */
  Dormancy content(int row) {
    int at = row * LONGS;
    return new Dormancy(
        server(row),
        Objects.requireNonNull(clients[row]),
        (longs[at + PORTS] & ENDED) != 0,
        (longs[at + GENERATION] & ANSWERED) != 0,
        longs[at + OPENED],
        longs[at + SINCE],
        longs[at + RELOCATED]);
  }

  private Server server(int row) {
    return Objects.requireNonNull(servers[row], "the row is free");
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
        vipOf(row),
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
    lists.takeOut(row, listOf(row));
    if (isHeld(row)) {
      held.remove(row);
    }
    longs[row * LONGS + GENERATION] &= ~CHOSEN;
    servers[row] = null;
    clients[row] = null;
    lists.addFree(row);
    if (size.decrementAndGet() == 0 && capacity() > MIN_CAPACITY) {
      chosen = new int[0];
      resize(0);
    }
  }

  private FiveTuple requestOf(int row) {
    return new FiveTuple(longs[row * LONGS + ADDRESSES], longs[row * LONGS + PORTS] & PORTS_MASK);
  }

  private FiveTuple replyOf(int row) {
    return Connection.atMember(requestOf(row), server(row)).reversed();
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
    resize((int) Math.min(doubled, bound));
  }

  private void resize(int capacity) {
    longs = Arrays.copyOf(longs, capacity * LONGS);
    servers = Arrays.copyOf(servers, capacity);
    clients = Arrays.copyOf(clients, capacity);
    lists.setCapacity(capacity);
    requestHeads = new int[capacity];
    replyHeads = new int[capacity];
    Arrays.fill(requestHeads, NONE);
    Arrays.fill(replyHeads, NONE);
    for (int row = 0; row < capacity; row++) {
      if (servers[row] != null) {
        chain(row);
      }
    }
  }
}
