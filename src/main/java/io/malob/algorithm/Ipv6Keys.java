package io.malob.algorithm;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for the IPv6 addresses in use, from 0 on. An address keeps its number until {@link
 * #sweep} finds that nothing uses it. Safe for several threads: looking up takes no lock.
 *
 * <p>The numbers are bounded, because a client can forge any number of source addresses. The last
 * sixteenth is reserved for addresses that administrators and the network's own hosts bring.
 */
final class Ipv6Keys {
  /** Stands for no number. */
  static final int NONE = -1;

  private static final int CHUNK_BITS = 12;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int MIN_SLOTS = 1 << 10;

  private final int max;

  /** The upper and lower halves of addresses, by number; chunks are added when needed. */
  private final long[] @Nullable [] addresses;

  /** The sweep before which an address was looked up last, by number. */
  private final int[] @Nullable [] seen;

  /** Open addressing: numbers plus one, 0 for an empty slot. */
  private volatile AtomicIntegerArray slots = new AtomicIntegerArray(MIN_SLOTS);

  private volatile int sweeps;

  // under this object's lock
  private final BitSet taken = new BitSet();

  /** Free, but threads may still compare with them until the next sweep. */
  private BitSet justFreed = new BitSet();

  private int count;

  /** No lower number is free: a search from 0 would cost more with each address in use. */
  private int firstFree;

  /**
   * No addresses.
   *
   * @param max how many there may be, a multiple of 4,096
   */
  Ipv6Keys(int max) {
    this.max = max;
    this.addresses = new long[max >> CHUNK_BITS][];
    this.seen = new int[max >> CHUNK_BITS][];
  }

  /** The number of an address; {@link #NONE} if it has none. */
  int find(long upper, long lower) {
    return find(slots, upper, lower);
  }

  private int find(AtomicIntegerArray table, long upper, long lower) {
    int mask = table.length() - 1;
    for (int at = hash(upper, lower) & mask; ; at = at + 1 & mask) {
      int number = table.get(at) - 1;
      if (number == NONE) {
        return NONE;
      }
      if (upper(number) == upper && lower(number) == lower) {
        touch(number);
        return number;
      }
    }
  }

  private void touch(int number) {
    int[] chunk = chunkOf(seen, number);
    int now = sweeps;
    if (chunk[number & CHUNK - 1] != now) { // most are seen often: without writing, caches keep it
      chunk[number & CHUNK - 1] = now;
    }
  }

  /**
   * The number of an address, which gets one if it has none.
   *
   * @param mayUseReserve whether it is not a packet that brings it
   * @return {@link #NONE} if there is none left
   */
  int add(long upper, long lower, boolean mayUseReserve) {
    int known = find(upper, lower);
    return known != NONE ? known : addNew(upper, lower, mayUseReserve);
  }

  private synchronized int addNew(long upper, long lower, boolean mayUseReserve) {
    int known = find(upper, lower);
    if (known != NONE || count >= (mayUseReserve ? max : max - max / 16)) {
      return known;
    }
    int number = taken.nextClearBit(firstFree);
    firstFree = number;
    if (number >= max) {
      return NONE; // the others have just been freed
    }
    taken.set(number);
    count++;
    int chunk = number >> CHUNK_BITS;
    if (addresses[chunk] == null) {
      addresses[chunk] = new long[2 * CHUNK];
      seen[chunk] = new int[CHUNK];
    }
    long[] halves = chunkOf(addresses, number);
    int at = 2 * (number & CHUNK - 1);
    halves[at] = upper;
    halves[at + 1] = lower;
    touch(number);
    if (2 * count > slots.length()) {
      rebuild(2 * slots.length());
    } else {
      put(slots, number);
    }
    return number;
  }

  private void rebuild(int size) {
    AtomicIntegerArray table = new AtomicIntegerArray(size);
    for (int number = taken.nextSetBit(0); number >= 0; number = taken.nextSetBit(number + 1)) {
      if (!justFreed.get(number)) {
        put(table, number);
      }
    }
    slots = table;
  }

  /** The volatile write makes the address visible to those that read the slot. */
  private void put(AtomicIntegerArray table, int number) {
    int mask = table.length() - 1;
    int at = hash(upper(number), lower(number)) & mask;
    while (table.get(at) != 0) {
      at = at + 1 & mask;
    }
    table.set(at, number + 1);
  }

  /** The upper half of the address with a number that was given. */
  long upper(int number) {
    return chunkOf(addresses, number)[2 * (number & CHUNK - 1)];
  }

  /** The lower half. */
  long lower(int number) {
    return chunkOf(addresses, number)[2 * (number & CHUNK - 1) + 1];
  }

  @SuppressWarnings("NullAway") // the chunk of a number that was given
  private static <T> T chunkOf(T @Nullable [] chunks, int number) {
    return chunks[number >> CHUNK_BITS];
  }

  /** How many addresses have numbers. */
  synchronized int size() {
    return count;
  }

  /**
   * Frees the numbers of addresses that are not in use, and that no packet had for a while. A freed
   * number is given again after the next sweep, unless a thread that had just looked it up has
   * brought it into use.
   *
   * @param used the numbers in use
   * @param patience for how many sweeps an address stays that was looked up
   */
  synchronized void sweep(BitSet used, int patience) {
    taken.andNot(justFreed);
    justFreed.and(used);
    taken.or(justFreed);
    firstFree = 0;
    for (int number = taken.nextSetBit(0); number >= 0; number = taken.nextSetBit(number + 1)) {
      int age = sweeps - chunkOf(seen, number)[number & CHUNK - 1];
      if (!used.get(number) && age >= patience) {
        justFreed.set(number);
        count--;
      }
    }
    sweeps = sweeps + 1;
    if (!justFreed.isEmpty()) {
      rebuild(slots.length());
    }
  }

  private static int hash(long upper, long lower) {
    long mixed = (upper * 0x9E3779B97F4A7C15L ^ lower) * 0xC2B2AE3D27D4EB4FL;
    return (int) (mixed >>> 32);
  }
}
