package io.malob.balancer.admission;

import io.malob.algorithm.VlanAddress;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Announces the MACs of new VIP addresses to all hosts of their VLANs, by gratuitous ARP or
 * unsolicited neighbour advertisements: a host that knows another MAC of the address, of a host
 * that had it before, uses the VIP's at once. For one thread at a time, except {@link #isDue}.
 */
public final class VipAnnouncer {
  /** The time between two steps. */
  public static final long TICK_MILLIS = 100;

  /** The max mean number of messages to switches in a step, so that all share 1,000 per second. */
  static final int MESSAGES_PER_TICK = 100;

  private final Supplier<BalancerView> views;
  private final ToIntFunction<VlanAddress> sender;
  private final Set<IPAddress<?>> due = new LinkedHashSet<>();
  private volatile boolean isDue;

  /** How many messages may be sent; negative after an address for very many switches. */
  private int credit;

  /**
   * Announces nothing yet.
   *
   * @param sender announces an address in its VLAN from all host ports of this controller's
   *     switches; returns how many switches have one
   */
  public VipAnnouncer(Supplier<BalancerView> views, ToIntFunction<VlanAddress> sender) {
    this.views = views;
    this.sender = sender;
  }

  /** Announces these addresses in the next steps. */
  public void announce(Collection<IPAddress<?>> addresses) {
    due.addAll(addresses);
    isDue = !due.isEmpty();
  }

  /** Whether a step has to do anything. Thread-safe. */
  public boolean isDue() {
    return isDue;
  }

  /** Sends the announcements of a step. */
  public void tick() {
    credit = Math.min(MESSAGES_PER_TICK, credit + MESSAGES_PER_TICK);
    Iterator<IPAddress<?>> next = due.iterator();
    while (credit > 0 && next.hasNext()) {
      IPAddress<?> vip = next.next();
      next.remove();
      List<Vip> vips = views.get().catalog().vipsAt(vip);
      if (!vips.isEmpty()) {
        credit -= sender.applyAsInt(new VlanAddress(vip, vips.get(0).vlan()));
      }
    }
    isDue = !due.isEmpty();
  }
}
