package io.malob.balancer.health;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Whether this controller is master of no switch, although it is in a cluster or switches are
 * connected. Each health check of a member without a location asks, so all switches are examined at
 * most every 100 ms. For one thread at a time.
 */
public final class Standby implements BooleanSupplier {
  static final long VALID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final IOFSwitchService switches;
  private final BooleanSupplier inCluster;
  private final LongSupplier nanoTime;
  private boolean standsBy;
  private long examinedNanos;

  public Standby(IOFSwitchService switches, BooleanSupplier inCluster, LongSupplier nanoTime) {
    this.switches = switches;
    this.inCluster = inCluster;
    this.nanoTime = nanoTime;
    examinedNanos = nanoTime.getAsLong() - VALID_NANOS;
  }

  @Override
  public boolean getAsBoolean() {
    long now = nanoTime.getAsLong();
    if (now - examinedNanos >= VALID_NANOS) {
      examinedNanos = now;
      Set<DatapathId> connected = switches.getAllSwitchDpids();
      standsBy =
          (inCluster.getAsBoolean() || !connected.isEmpty())
              && connected.stream().allMatch(id -> switches.getActiveSwitch(id) == null);
    }
    return standsBy;
  }
}
