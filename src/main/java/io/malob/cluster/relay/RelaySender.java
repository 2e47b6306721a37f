package io.malob.cluster.relay;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.openflow.FlowProgrammer.SwitchConnection;
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
  private final LongAdder sent = new LongAdder();
  private final LongAdder unsent = new LongAdder();

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

    NotConfirmedException(DatapathId switchId, String master, String why) {
      super("Barrier of switch " + switchId + " by its master " + master + ": " + why);
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
        .map(master -> new RelayedSwitch(switchId, master, sw.getOFFactory()));
  }

  /** A switch by way of its master. */
  private final class RelayedSwitch implements SwitchConnection {
    private final DatapathId switchId;
    private final String master;
    private final OFFactory factory;

    RelayedSwitch(DatapathId switchId, String master, OFFactory factory) {
      this.switchId = switchId;
      this.master = master;
      this.factory = factory;
    }

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
      if (barriers.size() >= MAX_BARRIERS) {
        return failed("too many others are pending");
      }
      long number = latestBarrier.incrementAndGet();
      Barrier barrier =
          new Barrier(switchId, master, nanoTime.getAsLong(), SettableFuture.create());
      barriers.put(number, barrier);
      if (!peers.send(master, PeerTopic.RULES, RelayFormat.barrier(switchId, number))) {
        barriers.remove(number);
        return failed("there is no stream to it");
      }
      return barrier.done();
    }

    private ListenableFuture<?> failed(String why) {
      return Futures.immediateFailedFuture(new NotConfirmedException(switchId, master, why));
    }
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
    barrier
        .done()
        .setException(new NotConfirmedException(barrier.switchId(), barrier.master(), why));
  }

  long sent() {
    return sent.sum();
  }

  long unsent() {
    return unsent.sum();
  }
}
