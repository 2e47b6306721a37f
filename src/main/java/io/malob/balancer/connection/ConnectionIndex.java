package io.malob.balancer.connection;

import com.google.common.collect.Iterables;
import io.malob.algorithm.FiveTuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * Connections by the five-tuple of their requests, or by that of their replies. A hash table that
 * is chained through the connections themselves: an entry is not a separate object, and its key is
 * in the connection. There are hundreds of thousands of entries, and the garbage collector visits
 * each of their objects in each cycle.
 *
 * <p>Thread-safe. A look-up takes no lock, unless another thread changes the same of many segments
 * at that moment. Each segment grows on its own, so no change waits for a large table to be moved.
 * An iteration shows each segment as it was at one moment.
 */
final class ConnectionIndex {
  private static final int SEGMENT_BITS = 8;
  private static final int SEGMENTS = 1 << SEGMENT_BITS;
  private static final int FIRST_BUCKETS = 4;

  private final boolean isReply;
  private final Segment[] segments = new Segment[SEGMENTS];

  /**
   * An empty index. A connection can be in one of each direction at a time.
   *
   * @param isReply whether connections are found by their replies
   */
  ConnectionIndex(boolean isReply) {
    this.isReply = isReply;
    for (int i = 0; i < SEGMENTS; i++) {
      segments[i] = new Segment();
    }
  }

  private FiveTuple tuple(Connection connection) {
    return isReply ? connection.reply() : connection.request();
  }

  /** The connection after another one in its chain. */
  @Nullable Connection next(Connection connection) {
    return isReply ? connection.nextByReply : connection.nextByRequest;
  }

  private void setNext(Connection connection, @Nullable Connection next) {
    if (isReply) {
      connection.nextByReply = next;
    } else {
      connection.nextByRequest = next;
    }
  }

  private Segment segmentOf(int hash) {
    return segments[hash >>> (Integer.SIZE - SEGMENT_BITS)];
  }

  /** The connection of that five-tuple, or null. */
  @Nullable Connection get(FiveTuple tuple) {
    int hash = TupleHash.SECRET.of(tuple);
    return segmentOf(hash).get(tuple, hash);
  }

  /** Adds a connection, unless there is one of its five-tuple: then that is returned. */
  @Nullable Connection putIfAbsent(FiveTuple tuple, Connection connection) {
    int hash = TupleHash.SECRET.of(tuple);
    return segmentOf(hash).putIfAbsent(tuple, hash, connection);
  }

  /** Removes a connection, if it is there. */
  void remove(Connection connection) {
    int hash = TupleHash.SECRET.of(tuple(connection));
    segmentOf(hash).remove(connection, hash);
  }

  /** All connections; what comes and goes meanwhile may be among them or not. */
  Iterable<Connection> all() {
    return Iterables.concat(Iterables.transform(Arrays.asList(segments), Segment::copy));
  }

  private final class Segment {
    private final StampedLock lock = new StampedLock();

    /**
     * The first connection of each bucket. A power of two, and at least twice as many as there are
     * connections: each step along a chain waits for memory.
     */
    private volatile AtomicReferenceArray<@Nullable Connection> heads =
        new AtomicReferenceArray<>(FIRST_BUCKETS);

    private int size;

    @Nullable Connection get(FiveTuple tuple, int hash) {
      long stamp = lock.tryOptimisticRead();
      @Nullable Connection found = find(tuple, hash);
      // while chains change, a search may leave its chain: it never finds a wrong entry then, but
      // may miss an existing one
      if (found != null || (stamp != 0 && lock.validate(stamp))) {
        return found;
      }
      stamp = lock.readLock();
      try {
        return find(tuple, hash);
      } finally {
        lock.unlockRead(stamp);
      }
    }

    private @Nullable Connection find(FiveTuple tuple, int hash) {
      AtomicReferenceArray<@Nullable Connection> buckets = heads;
      @Nullable Connection each = buckets.get(bucket(hash, buckets));
      while (each != null && !(isReply ? each.hasReply(tuple) : each.hasRequest(tuple))) {
        each = next(each);
      }
      return each;
    }

    /** By the bits below those of the segment. */
    private static int bucket(int hash, AtomicReferenceArray<?> buckets) {
      return (int) ((((hash << SEGMENT_BITS) & 0xffff_ffffL) * buckets.length()) >>> Integer.SIZE);
    }

    @Nullable Connection putIfAbsent(FiveTuple tuple, int hash, Connection connection) {
      long stamp = lock.writeLock();
      try {
        @Nullable Connection present = find(tuple, hash);
        if (present == null) {
          link(connection, hash, heads);
          size++;
          if (2 * size > heads.length()) {
            grow();
          }
        }
        return present;
      } finally {
        lock.unlockWrite(stamp);
      }
    }

    private void link(
        Connection connection, int hash, AtomicReferenceArray<@Nullable Connection> buckets) {
      int bucket = bucket(hash, buckets);
      setNext(connection, buckets.get(bucket));
      buckets.set(bucket, connection);
    }

    private void grow() {
      AtomicReferenceArray<@Nullable Connection> before = heads;
      AtomicReferenceArray<@Nullable Connection> after =
          new AtomicReferenceArray<>(2 * before.length());
      for (int i = 0; i < before.length(); i++) {
        @Nullable Connection each = before.get(i);
        while (each != null) {
          @Nullable Connection next = next(each);
          link(each, TupleHash.SECRET.of(tuple(each)), after);
          each = next;
        }
      }
      heads = after;
    }

    void remove(Connection connection, int hash) {
      long stamp = lock.writeLock();
      try {
        int bucket = bucket(hash, heads);
        @Nullable Connection before = null;
        @Nullable Connection each = heads.get(bucket);
        while (each != null && each != connection) {
          before = each;
          each = next(each);
        }
        if (each == null) {
          return;
        }
        if (before == null) {
          heads.set(bucket, next(connection));
        } else {
          setNext(before, next(connection));
        }
        setNext(connection, null); // what is gone must not keep what follows it
        size--;
      } finally {
        lock.unlockWrite(stamp);
      }
    }

    List<Connection> copy() {
      long stamp = lock.readLock();
      try {
        List<Connection> copy = new ArrayList<>(size);
        AtomicReferenceArray<@Nullable Connection> buckets = heads;
        for (int i = 0; i < buckets.length(); i++) {
          for (@Nullable Connection each = buckets.get(i); each != null; each = next(each)) {
            copy.add(each);
          }
        }
        return copy;
      } finally {
        lock.unlockRead(stamp);
      }
    }
  }
}
