package io.malob.balancer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.cluster.relay.RelayModule;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.MastershipPolicy;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.testing.FakeNetwork;
import io.malob.testing.Stub;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Two controllers of one network: {@code a} is master of all switches at first, and {@code b}
 * stands by. What they tell each other waits until time passes.
 */
final class ControllerPair {
  final AtomicLong nanoTime = new AtomicLong();
  final FakeNetwork network = new FakeNetwork(nanoTime::get);
  final Peers peersOfA = new Peers("a", "b");
  final Peers peersOfB = new Peers("b", "a");
  private final Map<DatapathId, String> masters = new HashMap<>();
  final BalancerNetwork a;
  final BalancerNetwork b;
  private boolean isDead;

  /** Each controller's part of a limit. */
  private IntUnaryOperator partOf = IntUnaryOperator.identity();

  ControllerPair(Map<String, String> settings) {
    this(settings, false);
  }

  /**
   * The same.
   *
   * @param isSpread whether each is master of some switches, and they relay rules
   */
  ControllerPair(Map<String, String> settings, boolean isSpread) {
    a = controller(settings, peersOfA, 0, isSpread);
    b = controller(settings, peersOfB, 1, isSpread);
    network.setController(
        (switchId, port, output) -> {
          @Nullable String master = masters.get(switchId);
          if (master != null && !(master.equals("a") && isDead)) {
            (master.equals("a") ? a : b).packetIn(switchId, port, output);
          }
        });
  }

  private BalancerNetwork controller(
      Map<String, String> settings, Peers peers, int slot, boolean isSpread) {
    IClusterService cluster =
        Stub.of(IClusterService.class)
            .on("electionView", with -> Optional.of(view(peers.name, slot, isSpread)))
            .on("name", with -> peers.name)
            .on("partOf", with -> partOf.applyAsInt((Integer) with[0]))
            .on("masterOf", with -> Optional.ofNullable(masters.get((DatapathId) with[0])))
            .make();
    return new BalancerNetwork(
        settings,
        BalancerNetwork.Transport.DIRECT,
        nanoTime,
        network,
        0,
        context -> {
          context.addService(IClusterService.class, cluster);
          context.addService(IPeerService.class, peers);
          if (isSpread) {
            context.addService(IRelayService.class, relay(context));
          }
        });
  }

  private RelayModule relay(FloodlightModuleContext context) {
    RelayModule relay = new RelayModule(nanoTime::get);
    try {
      relay.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e);
    }
    relay.startUp(context);
    return relay;
  }

  private ClusterView view(String name, int slot, boolean isSpread) {
    return new ClusterView(
        name,
        true,
        slot,
        0,
        isSpread ? MastershipPolicy.SPREAD : MastershipPolicy.SINGLE,
        isDead
            ? ImmutableList.of(new ClusterView.Member("b", "", 1, 0, true))
            : ImmutableList.of(
                new ClusterView.Member("a", "", 0, 0, true),
                new ClusterView.Member("b", "", 1, 0, true)),
        ImmutableMap.copyOf(masters),
        ImmutableMap.of(),
        ImmutableList.of());
  }

  /** A switch that both are connected to. */
  DatapathId addSwitch(long id) {
    DatapathId switchId = DatapathId.of(id);
    masters.put(switchId, "a");
    a.addSwitch(id);
    b.addForeignSwitch(id);
    return switchId;
  }

  /** A switch that both are connected to, with {@code b} as its master. */
  DatapathId addSwitchOfB(long id) {
    DatapathId switchId = DatapathId.of(id);
    masters.put(switchId, "b");
    a.addForeignSwitch(id);
    b.addSwitch(id);
    return switchId;
  }

  void link(DatapathId x, int portX, DatapathId y, int portY) {
    a.link(x, portX, y, portY);
    b.learnLink(x, portX, y, portY);
  }

  void learn(Host host) {
    a.learn(host);
    b.learn(host);
  }

  void webService(Host... members) {
    a.webService(members);
    b.webService(members);
  }

  /** The parts of limits are these from now on. */
  void divideLimits(IntUnaryOperator newPartOf) {
    partOf = newPartOf;
  }

  /** Messages reach both from now on. */
  void meet() {
    peersOfA.reach();
    peersOfB.reach();
    talk();
  }

  /** A moment passes, in which all is told that is to be told. */
  void talk() {
    for (int i = 0; i < 4; i++) {
      passMillis(10);
    }
  }

  void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      passMillis(1_000);
    }
  }

  private void passMillis(long millis) {
    nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    if (!isDead) {
      a.repeated().forEach(each -> each.work().run());
    }
    b.repeated().forEach(each -> each.work().run());
    peersOfA.deliver();
    peersOfB.deliver();
  }

  /** The process of {@code a} ends. What it has not told is lost. */
  void kill() {
    isDead = true;
    peersOfA.waiting.clear();
    peersOfA.isReached = false;
    peersOfB.waiting.clear();
    peersOfB.isReached = false;
    peersOfB.listeners.values().forEach(listener -> listener.lost("a"));
    masters.values().removeIf("a"::equals);
  }

  /** Messages reach neither of them from now on. */
  void part() {
    peersOfA.isReached = false;
    peersOfB.isReached = false;
    peersOfA.listeners.values().forEach(listener -> listener.lost("b"));
    peersOfB.listeners.values().forEach(listener -> listener.lost("a"));
  }

  /** The other one is master of all switches, while {@code a} lives. */
  void handOver() {
    for (DatapathId switchId : List.copyOf(b.switchIds())) {
      masters.put(switchId, "b");
      a.deactivate(switchId);
      b.takeOver(switchId);
    }
  }

  /** The other one becomes master of all switches. */
  void takeOver() {
    for (DatapathId switchId : List.copyOf(b.switchIds())) {
      if (!"b".equals(masters.get(switchId))) {
        takeOver(switchId);
      }
    }
  }

  void takeOver(DatapathId switchId) {
    masters.put(switchId, "b");
    b.takeOver(switchId);
  }

  /** What one controller tells the other. */
  final class Peers implements IPeerService {
    private final String name;
    private final String other;
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private final Map<PeerTopic, PeerListener> listeners = new EnumMap<>(PeerTopic.class);
    private boolean isReached;

    /** How many messages there is still room for. */
    int room = Integer.MAX_VALUE;

    /** How many bytes were sent. */
    long bytes;

    Peers(String name, String other) {
      this.name = name;
      this.other = other;
    }

    void reach() {
      isReached = true;
      listeners.values().forEach(listener -> listener.reached(other));
    }

    private void deliver(PeerTopic topic, byte[] message) {
      Peers receiver = name.equals("a") ? peersOfB : peersOfA;
      Objects.requireNonNull(receiver.listeners.get(topic))
          .received(name, ByteBuffer.wrap(message));
    }

    @Override
    public void listen(PeerTopic topic, PeerListener newListener) {
      listeners.put(topic, newListener);
    }

    @Override
    public boolean send(String peer, PeerTopic topic, byte[] message) {
      if (!peer.equals(other) || !isReached || room == 0) {
        return false;
      }
      room--;
      bytes += message.length;
      if (topic == PeerTopic.CONNECTIONS) {
        waiting.add(message);
      } else {
        deliver(topic, message);
      }
      return true;
    }

    @Override
    public ImmutableSet<String> reached() {
      return isReached ? ImmutableSet.of(other) : ImmutableSet.of();
    }

    private void deliver() {
      for (byte @Nullable [] next = waiting.poll(); next != null; next = waiting.poll()) {
        deliver(PeerTopic.CONNECTIONS, next);
      }
    }
  }
}
