package io.malob.balancer;

import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Algorithm;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.connection.Connection;
import io.malob.json.RejectedException;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.testing.CodeWatch;
import io.malob.testing.Frames;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * What the thread that has read a packet-in does for a placement, and what housekeeping does on a
 * thread of its own.
 *
 * <pre>
 *  client ---1 s1 2---1 s2 2---1 s4 4-- member 1
 *                3---1 s3 2---2 s4
 *                      s3 4-- member 2
 * </pre>
 */
class PlacementThreadsTest {
  /** How often a placement may enter the lock of its connection. */
  private static final int MAX_ENTRIES = 2;

  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final ExecutorService housekeeping = Executors.newSingleThreadExecutor();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private boolean isApart;
  private Thread housekeeper;
  private BalancerNetwork net;
  private Host client;
  private DatapathId s2;

  /** As soon as housekeeping is apart, its tasks wait until {@link #settle}. */
  private final class OwnThread implements BalancerNetwork.Transport {
    @Override
    public void toUpkeep(Runnable task) {
      if (isApart) {
        tasks.add(task);
      } else {
        task.run();
      }
    }
  }

  /** Housekeeping does all that it has to do, while this thread does nothing. */
  private void settle() {
    CompletableFuture.runAsync(
            () -> {
              for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
              }
            },
            housekeeping)
        .join();
  }

  @BeforeEach
  void setUp() {
    housekeeper = CompletableFuture.supplyAsync(Thread::currentThread, housekeeping).join();
    net = new BalancerNetwork(Map.of(), new OwnThread(), new AtomicLong());
    DatapathId s1 = net.addSwitch(1);
    s2 = net.addSwitch(2);
    DatapathId s3 = net.addSwitch(3);
    DatapathId s4 = net.addSwitch(4);
    net.link(s1, 2, s2, 1);
    net.link(s2, 2, s4, 1);
    net.link(s1, 3, s3, 1);
    net.link(s3, 2, s4, 2);
    client = Host.of(s1, 1, "10.0.0.1");
    Host first = Host.of(s4, 4, "10.0.0.11");
    Host second = Host.of(s3, 4, "10.0.0.12");
    net.webService(first, second);
    List.of(client, first, second).forEach(net::learn);
  }

  @AfterEach
  void tearDown() {
    housekeeping.shutdown();
  }

  private void use(String algorithm) {
    try {
      net.module.catalog().update(Catalog.POOLS, "p", Fields.of("lb_method", algorithm));
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
    isApart = true;
  }

  private void open(int port) {
    byte[] syn =
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            port,
            VIP,
            80,
            Packet.TCP_SYN);
    assertEquals(1, net.send(client, syn).size(), () -> "deliveries of port " + port);
  }

  private static Stream<String> algorithms() {
    return Algorithm.names().stream();
  }

  /** All that looks at a whole network. */
  private static CodeWatch searches() {
    return CodeWatch.ofMethods(
        namedOneOf(
            "io.malob.algorithm.graph.BestPathSearch",
            "io.malob.algorithm.graph.KShortestPaths",
            "io.malob.algorithm.graph.PathTree"),
        isMethod().and(namedOneOf("search", "repair", "find", "to", "fewestHops", "cheapest")));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void placement_byTheThreadOfASwitch_searchesForNoPath(String algorithm) {
    use(algorithm);
    try (CodeWatch searches = searches()) {
      for (int port = 1_000; port < 1_050; port++) {
        open(port);
      }
      settle();
      net.pass(2);
      settle();
      open(2_000);
      searches.clear();
      net.unlink(s2, 2);
      settle();
      for (int port = 3_000; port < 3_050; port++) {
        open(port);
      }
      assertNotEquals(List.of(), searches.by(housekeeper), "housekeeping searches");
      assertEquals(List.of(), searches.by(Thread.currentThread()));
    }
  }

  /** Each time that this thread enters a lock. */
  private List<Object> locksOfOpening(CodeWatch locks, int port) {
    locks.clear();
    open(port);
    return locks.by(Thread.currentThread()).stream().map(CodeWatch.Event::lock).toList();
  }

  @Test
  void placement_entersItsConnectionsLockAlone() {
    use("SL-PS");
    open(1_000);
    open(1_001);
    try (CodeWatch locks =
        CodeWatch.ofLocks(
            nameStartsWith("io.malob.").and(not(nameStartsWith("io.malob.testing."))))) {
      List<Object> one = locksOfOpening(locks, 1_002);
      List<Object> other = locksOfOpening(locks, 1_003);
      assertEquals(
          List.of(Connection.class), one.stream().map(Object::getClass).distinct().toList());
      assertEquals(1, one.stream().map(System::identityHashCode).distinct().count());
      assertNotSame(one.get(0), other.get(0), "two of the same VIP and path");
      assertTrue(one.size() <= MAX_ENTRIES, () -> one.size() + " times");
    }
  }
}
