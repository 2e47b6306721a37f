package io.malob.cluster.relay;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.openflow.RuleSender.SwitchConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Sends messages for switches to the controllers that are their masters, and waits for answers to
 * barriers: for the answer of a switch, up to a time. Thread-safe; nothing blocks.
 */
final class RelaySender {
  private static final long BARRIER_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Above this number of pending barriers, further ones fail at once. */
  private static final int MAX_BARRIERS = 10_000;

  private final IOFSwitchService switches;
  private final IClusterService cluster;
  private final IPeerService peers;
  private final LongSupplier nanoTime;
  private final Map<Long, Barrier> barriers = new ConcurrentHashMap<>();
  private final AtomicLong latestBarrier = new AtomicLong();
  final LongAdder sent = new LongAdder();
  final LongAdder unsent = new LongAdder();

  RelaySender(
      IOFSwitchService switches,
      IClusterService cluster,
      IPeerService peers,
      LongSupplier nanoTime) {
    this.switches = switches;
    this.cluster = cluster;
    this.peers = peers;
    this.nanoTime = nanoTime;
  }

  /** A barrier that waits for an answer of the switch's master. */
  private record Barrier(
      DatapathId switchId, String master, long sentNanos, SettableFuture<Boolean> done) {}

  /** A barrier that the switch has not confirmed. */
  private static final class NotConfirmedException extends Exception {
    private static final long serialVersionUID = 1;

    NotConfirmedException(Barrier barrier, String why) {
      super(
          String.format(
              "Barrier of switch %s by its master %s: %s",
              barrier.switchId(), barrier.master(), why));
    }
  }

  Optional<String> otherMaster(DatapathId switchId) {
    return cluster.masterOf(switchId).filter(master -> !master.equals(cluster.name()));
  }

  Optional<SwitchConnection> find(DatapathId switchId) {
    // the version of OpenFlow is only known from this controller's own connection to the switch
    @Nullable IOFSwitch sw = switches.getSwitch(switchId);
    if (sw == null) {
      return Optional.empty();
    }
    return otherMaster(switchId)
        .filter(peers.reached()::contains)
        .map(master -> relayed(switchId, master, sw.getOFFactory()));
  }

  /** A switch by way of its master. */
  private SwitchConnection relayed(DatapathId switchId, String master, OFFactory factory) {
    return new SwitchConnection() {
      @Override
      public OFFactory factory() {
        return factory;
      }

      @Override
      public boolean write(Iterable<OFMessage> messages) {
        for (byte[] batch : RelayFormat.write(switchId, messages)) {
          if (!peers.send(master, PeerTopic.RULES, batch)) {
            unsent.increment();
            return false;
          }
          sent.increment();
        }
        return true;
      }

      @Override
      public ListenableFuture<?> barrier() {
        Barrier barrier =
            new Barrier(switchId, master, nanoTime.getAsLong(), SettableFuture.create());
        if (barriers.size() >= MAX_BARRIERS) {
          fail(barrier, "too many others are pending");
          return barrier.done();
        }
        long number = latestBarrier.incrementAndGet();
        barriers.put(number, barrier);
        if (!peers.send(master, PeerTopic.RULES, RelayFormat.barrier(switchId, number))) {
          barriers.remove(number);
          fail(barrier, "there is no stream to it");
        }
        return barrier.done();
      }
    };
  }

  /** A master has answered a barrier. */
  void answered(String peer, long number, boolean done) {
    @Nullable Barrier barrier = barriers.get(number);
    if (barrier == null || !barrier.master().equals(peer) || !barriers.remove(number, barrier)) {
      return;
    }
    if (done) {
      barrier.done().set(true);
    } else {
      fail(barrier, "the switch has not confirmed it");
    }
  }

  /** A former master has not written messages: barriers after them would be wrong. */
  void refused(String peer, DatapathId switchId) {
    failAll(
        barrier -> barrier.master().equals(peer) && barrier.switchId().equals(switchId),
        "messages before it were not written");
  }

  /** There is no stream to or from a controller. */
  void lost(String peer) {
    failAll(barrier -> barrier.master().equals(peer), "the stream has broken");
  }

  /** Fails barriers that are overdue or whose switch has another master. To be called regularly. */
  void tick() {
    long now = nanoTime.getAsLong();
    failAll(barrier -> now - barrier.sentNanos() >= BARRIER_NANOS, "no answer");
    failAll(
        barrier -> !otherMaster(barrier.switchId()).equals(Optional.of(barrier.master())),
        "the switch has another master");
  }

  private void failAll(Predicate<Barrier> which, String why) {
    List<Map.Entry<Long, Barrier>> failing =
        barriers.entrySet().stream()
            .filter(each -> which.test(each.getValue()))
            .collect(toImmutableList());
    for (Map.Entry<Long, Barrier> each : failing) {
      if (barriers.remove(each.getKey(), each.getValue())) {
        fail(each.getValue(), why);
      }
    }
  }

  private static void fail(Barrier barrier, String why) {
    barrier.done().setException(new NotConfirmedException(barrier, why));
  }
}
