package io.malob.balancer.view;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.balancer.api.SplitHost;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Finds MAC addresses that come from two ports in turns, both of which are up. A host that moves,
 * or a bond that changes its leg, does so a few times; a bond that shares its flows over two legs
 * does it all the time. Thread-safe, without a lock over several addresses.
 */
public final class SplitHosts {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 1_000;

  /** The number of changes between ports, within {@link #WINDOW_NANOS}, of a split host. */
  static final int MIN_TURNS = 6;

  public static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Packets in flight come from the former port for a moment: they are one turn with the first. */
  private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long a split host is known as such after its last turn. */
  private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The max number of followed addresses: forged ones are many. */
  private static final int MAX_HOSTS = 1_000;

  private final Map<MacAddress, Turns> hosts = new ConcurrentHashMap<>();
  private final Predicate<Attachment> isUp;
  private final LongSupplier nanoTime;

  /**
   * What is known of an address.
   *
   * @param before where it was before it came to {@code at}; null at first
   * @param turns the number of changes since {@code sinceNanos}
   * @param isSplit whether they were enough
   */
  private record Turns(
      Attachment at,
      @Nullable Attachment before,
      int turns,
      long sinceNanos,
      long lastNanos,
      boolean isSplit) {

    boolean isOver(long nowNanos) {
      return isSplit ? nowNanos - lastNanos > KNOWN_NANOS : nowNanos - sinceNanos > WINDOW_NANOS;
    }
  }

  /**
   * No split hosts.
   *
   * @param isUp whether a port is up
   */
  public SplitHosts(Predicate<Attachment> isUp, LongSupplier nanoTime) {
    this.isUp = isUp;
    this.nanoTime = nanoTime;
  }

  /** An address is somewhere else than it was, as far as was known. */
  void seenElsewhere(Attachment home, Attachment at) {
    if (hosts.size() < MAX_HOSTS || hosts.containsKey(at.mac())) {
      long now = nanoTime.getAsLong();
      hosts.computeIfAbsent(at.mac(), any -> new Turns(home, null, 0, now, now, false));
      seen(at);
    }
  }

  /** An address was seen. Costs one look-up as long as it was never seen elsewhere. */
  void seen(Attachment at) {
    if (!hosts.isEmpty()) {
      hosts.computeIfPresent(at.mac(), (mac, known) -> next(known, at));
    }
  }

  /** A host has moved, as device tracking says. */
  public void moved(Attachment now) {
    seenElsewhere(now, now);
  }

  private Turns next(Turns known, Attachment at) {
    long now = nanoTime.getAsLong();
    if (at.isAtPortOf(known.at) || (known.before != null && now - known.lastNanos < APART_NANOS)) {
      return known;
    }
    if (!isUp.test(known.at)) {
      return new Turns(at, known.at, 0, now, now, false); // it has moved
    }
    boolean isFirst = known.isOver(now);
    int turns = isFirst ? 1 : known.turns + 1;
    boolean isSplit = (known.isSplit && !isFirst) || turns >= MIN_TURNS;
    return new Turns(at, known.at, turns, isFirst ? now : known.sinceNanos, now, isSplit);
  }

  /** Whether an address is that of a split host. */
  public boolean isSplit(MacAddress mac) {
    @Nullable Turns known = hosts.get(mac);
    return known != null && known.isSplit && !known.isOver(nanoTime.getAsLong());
  }

  /** The split hosts, by address. */
  public ImmutableList<SplitHost> all() {
    long now = nanoTime.getAsLong();
    return hosts.values().stream()
        .filter(known -> known.isSplit && !known.isOver(now))
        .sorted(Comparator.comparing(known -> known.at.mac()))
        .flatMap(known -> inOrder(known).stream())
        .collect(ImmutableList.toImmutableList());
  }

  /** The same ports in the same order, wherever it was last. */
  private static ImmutableList<SplitHost> inOrder(Turns known) {
    @Nullable Attachment before = known.before;
    if (before == null) {
      return ImmutableList.of();
    }
    boolean isInOrder =
        Comparator.comparing(Attachment::switchId)
                .thenComparing(Attachment::port)
                .compare(before, known.at)
            < 0;
    return ImmutableList.of(
        isInOrder ? new SplitHost(before, known.at) : new SplitHost(known.at, before));
  }

  /** Forgets addresses that stay where they are. */
  public void tick() {
    long now = nanoTime.getAsLong();
    hosts.values().removeIf(known -> known.isOver(now));
  }
}
