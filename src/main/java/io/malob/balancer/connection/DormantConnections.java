package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection.Dormancy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /** How many rows more than expected the arrays grow by. */
  private static final int SLACK = 32;

  /** A longer chain is followed with the lock only: without it, a torn chain may be a circle. */
  private static final int MAX_STEPS = 64;

  private static final int LONGS = 5;
  private static final int ADDRESSES = 0;

  /** The lower 40 bits are those of the five-tuple; VIP, algorithm and end are above. */
  private static final int PORTS = 1;

  private static final int OPENED = 2;
  private static final int SINCE = 3;
  private static final int RELOCATED = 4;

  private static final long PORTS_MASK = (1L << 40) - 1;
  private static final int VIP_SHIFT = 40;
  private static final int VIP_MASK = 0xfff;
  private static final int ALGORITHM_SHIFT = 52;
  private static final int ALGORITHM_MASK = 0x7ff;
  private static final long ENDED = 1L << 63;

  private static final int INTS = 5;
  private static final int GENERATION = 0;
  private static final int NEXT_OF_REQUEST = 1;
  private static final int NEXT_OF_REPLY = 2;
  private static final int OLDER = 3;

  /** The row that came next; of a free row, the next free one. */
  private static final int YOUNGER = 4;

  private final int maxRows;

  /** The algorithms of the rows; few, because there are few. */
  private final List<Algorithm> algorithms = new ArrayList<>();

  private long[] longs = new long[0];
  private int[] ints = new int[0];
  private @Nullable Server[] servers = new Server[0];
  private @Nullable Attachment[] clients = new Attachment[0];

  /** The objects of connections that others hold on to; null for most rows. */
  private @Nullable Connection[] kept = new Connection[0];

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
        + 4L * (ints.length + requestHeads.length + replyHeads.length)
        + 4L * (servers.length + clients.length + kept.length);
  }

  /** Adds a row for a connection that has just become dormant. */
  void add(Connection connection) {
    if (free == NONE) {
      grow();
    }
    int row = free;
    free = ints[row * INTS + YOUNGER];
    FiveTuple request = connection.request();
    longs[row * LONGS + ADDRESSES] = request.addresses();
    longs[row * LONGS + PORTS] =
        request.protocolAndPorts()
            | (long) connection.vipNumber() << VIP_SHIFT
            | (long) numberOf(connection.algorithm()) << ALGORITHM_SHIFT;
    ints[row * INTS + GENERATION] = connection.generation();
    put(row, connection.dormancy());
    kept[row] = connection.isHeld() ? connection : null;
    link(row);
    ints[row * INTS + OLDER] = youngest;
    ints[row * INTS + YOUNGER] = NONE;
    if (youngest == NONE) {
      oldest = row;
    } else {
      ints[youngest * INTS + YOUNGER] = row;
    }
    youngest = row;
    size.incrementAndGet();
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
    @Nullable Connection object = kept[row];
    if (object != null || servers[row] == null) {
      return object;
    }
    long more = longs[row * LONGS + PORTS];
    return Connection.dormant(
        new FiveTuple(longs[row * LONGS + ADDRESSES], more & PORTS_MASK),
        (int) (more >>> VIP_SHIFT) & VIP_MASK,
        algorithms.get((int) (more >>> ALGORITHM_SHIFT) & ALGORITHM_MASK),
        ints[row * INTS + GENERATION],
        content(row));
  }

  /** The row of a connection, and not of a later one with its five-tuple. */
  int find(Connection connection) {
    int row = find(connection.request(), false, Integer.MAX_VALUE);
    boolean isSame =
        row >= 0
            && ints[row * INTS + GENERATION] == connection.generation()
            && isReply(row, connection.reply());
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
    int[] links = ints;
    int link = isReply ? NEXT_OF_REPLY : NEXT_OF_REQUEST;
    if (heads.length == 0) {
      return NONE;
    }
    int row = heads[bucket(tuple, heads)];
    for (int steps = 0; row != NONE; steps++) {
      if (steps >= maxSteps || row * INTS >= links.length) {
        return UNSURE;
      }
      if (isReply ? isReply(row, tuple) : isRequest(row, tuple)) {
        return row;
      }
      row = links[row * INTS + link];
    }
    return NONE;
  }

  private static int bucket(FiveTuple tuple, int[] heads) {
    long hash = Integer.toUnsignedLong(ConnectionIndex.hash(tuple));
    return (int) ((hash * heads.length) >>> Integer.SIZE);
  }

  /** Reads the arrays as they may be at any moment. */
  private boolean isRequest(int row, FiveTuple tuple) {
    long[] values = longs;
    int at = row * LONGS;
    return at + PORTS < values.length
        && values[at + ADDRESSES] == tuple.addresses()
        && (values[at + PORTS] & PORTS_MASK) == tuple.protocolAndPorts();
  }

  /** Reads the arrays as they may be at any moment. */
  private boolean isReply(int row, FiveTuple tuple) {
    long[] values = longs;
    @Nullable Server[] members = servers;
    int at = row * LONGS;
    @Nullable Server server = row < members.length ? members[row] : null;
    if (server == null || at + PORTS >= values.length || server.address() != tuple.srcAddress()) {
      return false;
    }
    long ports = values[at + PORTS];
    return (int) (values[at + ADDRESSES] >>> 32) == tuple.dstAddress()
        && ((int) (ports >>> 16) & 0xffff) == tuple.dstPort()
        && ((int) (ports >>> 32) & 0xff) == tuple.protocol()
        && Connection.portAtMember((int) ports & 0xffff, server) == tuple.srcPort();
  }

  /** Removes a row. */
  void remove(int row) {
    int at = row * INTS;
    unlink(requestHeads, requestOf(row), row, NEXT_OF_REQUEST);
    unlink(replyHeads, replyOf(row), row, NEXT_OF_REPLY);
    int older = ints[at + OLDER];
    int younger = ints[at + YOUNGER];
    if (older == NONE) {
      oldest = younger;
    } else {
      ints[older * INTS + YOUNGER] = younger;
    }
    if (younger == NONE) {
      youngest = older;
    } else {
      ints[younger * INTS + OLDER] = older;
    }
    servers[row] = null;
    clients[row] = null;
    kept[row] = null;
    ints[at + YOUNGER] = free;
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

  private void link(int row) {
    link(requestHeads, requestOf(row), row, NEXT_OF_REQUEST);
    link(replyHeads, replyOf(row), row, NEXT_OF_REPLY);
  }

  private void link(int[] heads, FiveTuple tuple, int row, int link) {
    int head = bucket(tuple, heads);
    ints[row * INTS + link] = heads[head];
    heads[head] = row;
  }

  private void unlink(int[] heads, FiveTuple tuple, int row, int link) {
    int head = bucket(tuple, heads);
    int next = ints[row * INTS + link];
    if (heads[head] == row) {
      heads[head] = next;
      return;
    }
    int before = heads[head];
    while (ints[before * INTS + link] != row) {
      before = ints[before * INTS + link];
    }
    ints[before * INTS + link] = next;
  }

  /** Doubles the arrays, but not far beyond what is expected at the max. */
  private void grow() {
    long doubled = Math.max(MIN_CAPACITY, 2L * capacity());
    long bound = Math.max(maxRows, capacity()) + (long) SLACK;
    int before = capacity();
    resize((int) Math.min(doubled, bound));
    for (int row = capacity() - 1; row >= before; row--) {
      ints[row * INTS + YOUNGER] = free;
      free = row;
    }
  }

  private void resize(int capacity) {
    longs = Arrays.copyOf(longs, capacity * LONGS);
    ints = Arrays.copyOf(ints, capacity * INTS);
    servers = Arrays.copyOf(servers, capacity);
    clients = Arrays.copyOf(clients, capacity);
    kept = Arrays.copyOf(kept, capacity);
    requestHeads = new int[capacity];
    replyHeads = new int[capacity];
    Arrays.fill(requestHeads, NONE);
    Arrays.fill(replyHeads, NONE);
    for (int row = oldest; row != NONE; row = ints[row * INTS + YOUNGER]) {
      link(row);
    }
  }
}
