package io.malob.balancer.connection;

import io.malob.algorithm.AddressKey;
import io.malob.state.catalog.Persistence;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The last member of each client of a VIP: an eight-way set-associative table of {@link #ENTRIES}
 * entries, in 8 MB that are allocated only while a pool asks for affinity. A new entry replaces the
 * least recently used entry of its set. Thread-safe and lock-free; look-ups and updates allocate
 * nothing.
 *
 * <p>An entry is one {@code long}. An invertible function mixes VIP number and client address into
 * 44 bits. 17 of them select the set and the entry stores the other 27, so two clients are never
 * confused. The remaining bits hold the second of the last use and the member's number.
 *
 * <p>Of an IPv6 address, a hash of 32 bits takes the place of an IPv4 address: an entry may live
 * longer than the address's {@link AddressKey}. Two clients with the same hash share an entry.
 */
public final class AffinityTable {
  /** The capacity, in clients. */
  static final int ENTRIES = 1 << 20;

  /** Stands for no member. */
  public static final int NONE = 0;

  private static final int WAYS = 8;
  private static final int SET_BITS = Integer.numberOfTrailingZeros(ENTRIES / WAYS);
  private static final int CLIENT_BITS = 32;
  private static final int KEY_BITS = 12 + CLIENT_BITS;
  private static final int HALF_KEY_BITS = KEY_BITS / 2;
  private static final long KEY_MASK = (1L << KEY_BITS) - 1;

  /** Odd, so that the multiplication is invertible. */
  private static final long MIX_1 = 0x9e3779b97f5L;

  private static final long MIX_2 = 0x2127599bf43L;

  private static final int MEMBER_BITS = 16;
  private static final int SECOND_BITS = 21;
  private static final int TAG_SHIFT = MEMBER_BITS + SECOND_BITS;
  private static final int SECOND_MASK = (1 << SECOND_BITS) - 1;
  private static final int MEMBER_MASK = (1 << MEMBER_BITS) - 1;

  /**
   * Another thread may have read the clock later than this one and written its entry earlier. An
   * entry that seems to lie at most this far in the future counts as new.
   */
  private static final int MAX_SKEW_SECONDS = 60;

  /** How many entries one sweep checks. */
  private static final int SWEEP_SIZE = 8_192;

  private final LongSupplier nanoTime;
  private final long startNanos;
  private volatile @Nullable AtomicLongArray entries;
  private int nextSweep;

  public AffinityTable(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
  }

  /**
   * Allocates the table if any pool uses session persistence, and frees it if none does. For one
   * thread at a time.
   */
  public void keep(boolean isWanted) {
    if (isWanted != (entries != null)) {
      entries = isWanted ? new AtomicLongArray(ENTRIES) : null;
    }
  }

  /**
   * The last member of a client; {@link #NONE} if it is unknown or was last used more than the
   * timeout ago.
   */
  public int memberOf(int vipNumber, int client, int timeoutSeconds) {
    @Nullable AtomicLongArray all = entries;
    long key = key(vipNumber, client);
    for (int slot = firstSlot(key); all != null && slot < firstSlot(key) + WAYS; slot++) {
      long entry = all.get(slot);
      if (isOf(entry, key)) {
        return age(entry) <= timeoutSeconds ? member(entry) : NONE;
      }
    }
    return NONE;
  }

  /**
   * Remembers the member of a client.
   *
   * @param replaced the member that the caller found for the client, or {@link #NONE}
   * @return the client's member now: a different one if another thread has stored it first
   */
  public int remember(int vipNumber, int client, int member, int replaced, int timeoutSeconds) {
    @Nullable AtomicLongArray all = entries;
    if (all == null) {
      return member;
    }
    long key = key(vipNumber, client);
    long fresh = (tag(key) << TAG_SHIFT) | ((long) second() << MEMBER_BITS) | member;
    while (true) {
      int slot = slotFor(all, key);
      long before = all.get(slot);
      boolean isTaken =
          isOf(before, key)
              && member(before) != member
              && member(before) != replaced
              && age(before) <= timeoutSeconds;
      if (isTaken || all.compareAndSet(slot, before, fresh)) {
        return isTaken ? member(before) : member;
      }
    }
  }

  /** The slot of a client; if it has none, an empty slot of its set, or else the oldest. */
  private int slotFor(AtomicLongArray all, long key) {
    int oldest = firstSlot(key);
    int maxAge = -1;
    for (int slot = firstSlot(key); slot < firstSlot(key) + WAYS; slot++) {
      long entry = all.get(slot);
      if (isOf(entry, key)) {
        return slot;
      }
      int age = entry == 0 ? Integer.MAX_VALUE : age(entry);
      if (age > maxAge) {
        maxAge = age;
        oldest = slot;
      }
    }
    return oldest;
  }

  /**
   * Removes some of the entries that are older than the longest timeout, before their seconds wrap
   * around. Call it every few seconds, from one thread at a time.
   */
  public void sweep() {
    @Nullable AtomicLongArray all = entries;
    for (int i = 0; all != null && i < SWEEP_SIZE; i++) {
      int slot = nextSweep++ & (ENTRIES - 1);
      long entry = all.get(slot);
      if (entry != 0 && age(entry) > Persistence.MAX_SECONDS) {
        all.compareAndSet(slot, entry, 0);
      }
    }
  }

  private static long key(int vipNumber, int client) {
    long key = ((long) vipNumber << CLIENT_BITS) | Integer.toUnsignedLong(lasting(client));
    key ^= key >>> HALF_KEY_BITS;
    key = (key * MIX_1) & KEY_MASK;
    key ^= key >>> HALF_KEY_BITS;
    key = (key * MIX_2) & KEY_MASK;
    return key ^ (key >>> HALF_KEY_BITS);
  }

  /** What stands for a client as long as it has its address. */
  private static int lasting(int client) {
    return AddressKey.isIpv6(client)
        ? Long.hashCode(AddressKey.upper(client) * MIX_1 + AddressKey.lower(client) * MIX_2)
        : client;
  }

  private static int firstSlot(long key) {
    return (int) (key & ((1 << SET_BITS) - 1)) * WAYS;
  }

  private static long tag(long key) {
    return key >>> SET_BITS;
  }

  private static boolean isOf(long entry, long key) {
    return entry != 0 && entry >>> TAG_SHIFT == tag(key);
  }

  private static int member(long entry) {
    return (int) entry & MEMBER_MASK;
  }

  private int second() {
    return (int) TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - startNanos) & SECOND_MASK;
  }

  private int age(long entry) {
    int age = (second() - (int) (entry >>> MEMBER_BITS)) & SECOND_MASK;
    return age > SECOND_MASK - MAX_SKEW_SECONDS ? 0 : age;
  }
}
