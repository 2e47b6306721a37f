package io.malob.balancer.connection;

import io.malob.state.catalog.Persistence;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which member each client of a VIP had last. Has room for {@link #ENTRIES} clients, in 8 MB that
 * are taken only while a pool asks for it; of the eight that share a place, the one that has been
 * silent for longest goes. Thread-safe, without locks, and nothing is allocated: an entry is one
 * number. VIP and client are mixed without loss into 44 bits, of which 17 are the place and 27 are
 * in the entry, so that no two are ever taken for each other; the other bits are the second of the
 * last use and the member.
 */
public final class AffinityTable {
  /** How many clients there is room for. */
  static final int ENTRIES = 1 << 20;

  /** The number that no member has. */
  public static final int NONE = 0;

  private static final int WAYS = 8;
  private static final int PLACE_BITS = Integer.numberOfTrailingZeros(ENTRIES / WAYS);
  private static final int CLIENT_BITS = 32;
  private static final int KEY_BITS = 12 + CLIENT_BITS;
  private static final int HALF_KEY_BITS = KEY_BITS / 2;
  private static final long KEY_MASK = (1L << KEY_BITS) - 1;

  /** Odd, so that nothing is lost by multiplying. */
  private static final long MIX_1 = 0x9e3779b97f5L;

  private static final long MIX_2 = 0x2127599bf43L;

  private static final int MEMBER_BITS = 16;
  private static final int SECOND_BITS = 21;
  private static final int TAG_SHIFT = MEMBER_BITS + SECOND_BITS;
  private static final int SECOND_MASK = (1 << SECOND_BITS) - 1;
  private static final int MEMBER_MASK = (1 << MEMBER_BITS) - 1;

  /** By so much may the clock be behind an entry that another thread has just written. */
  private static final int AHEAD_SECONDS = 60;

  /** How many entries one sweep looks at. */
  private static final int SWEPT = 8_192;

  private final LongSupplier nanoTime;
  private final long startNanos;
  private volatile @Nullable AtomicLongArray entries;
  private int nextSwept;

  public AffinityTable(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
  }

  /** Whether there is anything to remember from now on. For one thread at a time. */
  public void keep(boolean isWanted) {
    if (isWanted != (entries != null)) {
      entries = isWanted ? new AtomicLongArray(ENTRIES) : null;
    }
  }

  /** The member that a client had last; {@link #NONE} if that is unknown or too long ago. */
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
   * @param instead the member that it had, as far as the caller knows
   * @return the member that it has now: another one, if another thread was faster
   */
  public int remember(int vipNumber, int client, int member, int instead, int timeoutSeconds) {
    @Nullable AtomicLongArray all = entries;
    if (all == null) {
      return member;
    }
    long key = key(vipNumber, client);
    long fresh = (tag(key) << TAG_SHIFT) | ((long) second() << MEMBER_BITS) | member;
    while (true) {
      int slot = slotFor(all, key);
      long before = all.get(slot);
      boolean isOthers =
          isOf(before, key)
              && member(before) != member
              && member(before) != instead
              && age(before) <= timeoutSeconds;
      if (isOthers || all.compareAndSet(slot, before, fresh)) {
        return isOthers ? member(before) : member;
      }
    }
  }

  /** The slot of a client, or else that of the one to give way: an empty one, or the oldest. */
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
   * Forgets some of those that have been silent for longer than any pool asks for, before the
   * seconds wrap around. To be called every few seconds, by one thread at a time.
   */
  public void sweep() {
    @Nullable AtomicLongArray all = entries;
    for (int i = 0; all != null && i < SWEPT; i++) {
      int slot = nextSwept++ & (ENTRIES - 1);
      long entry = all.get(slot);
      if (entry != 0 && age(entry) > Persistence.MAX_SECONDS) {
        all.compareAndSet(slot, entry, 0);
      }
    }
  }

  private static long key(int vipNumber, int client) {
    long key = ((long) vipNumber << CLIENT_BITS) | Integer.toUnsignedLong(client);
    key ^= key >>> HALF_KEY_BITS;
    key = (key * MIX_1) & KEY_MASK;
    key ^= key >>> HALF_KEY_BITS;
    key = (key * MIX_2) & KEY_MASK;
    return key ^ (key >>> HALF_KEY_BITS);
  }

  private static int firstSlot(long key) {
    return (int) (key & ((1 << PLACE_BITS) - 1)) * WAYS;
  }

  private static long tag(long key) {
    return key >>> PLACE_BITS;
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
    return age > SECOND_MASK - AHEAD_SECONDS ? 0 : age;
  }
}
