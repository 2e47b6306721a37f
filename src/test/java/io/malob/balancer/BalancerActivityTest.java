package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.BalancerActivity.Durations;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.PlacementTimes;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Service;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * What the balancer counts of its own doing, in a network of two switches.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2-- member (m1)
 * </pre>
 */
class BalancerActivityTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  BalancerActivityTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
  }

  private void send(int srcPort, int dstPort, int flags) {
    net.send(
        client,
        Frames.tcp(
            client.mac(),
            EdgeMac.of(client.switchId()),
            client.ip(),
            srcPort,
            VIP,
            dstPort,
            flags));
  }

  private void serve() {
    net.learn(member);
    net.webService(member);
  }

  /** What has been added to the packet-ins of each outcome by something. */
  private Map<String, Long> packetInsOf(Runnable something) {
    Map<String, Long> before = net.module.activity().packetIns();
    something.run();
    Map<String, Long> added = new HashMap<>(net.module.activity().packetIns());
    added.replaceAll((outcome, count) -> count - before.get(outcome));
    added.values().removeIf(count -> count == 0);
    return added;
  }

  @Test
  void placements_areCountedByServiceAlgorithmAndOutcome() {
    serve();
    send(40_000, 80, Packet.TCP_SYN);
    send(40_001, 80, Packet.TCP_SYN);

    assertEquals(
        List.of(new PlacementCount("http", "RR+SPH", "placed", 2)),
        net.module.activity().placements());
  }

  @Test
  void placements_onThePortOfAConnectionThatHasEnded_areCountedOnceEach() {
    assumeEndsAreTold();
    serve();
    send(40_000, 80, Packet.TCP_SYN);
    send(40_000, 80, Packet.TCP_FIN | Packet.TCP_ACK);

    assertEquals(Map.of("placed", 1L), packetInsOf(() -> send(40_000, 80, Packet.TCP_SYN)));

    assertEquals(
        List.of(new PlacementCount("http", "RR+SPH", "placed", 2)),
        net.module.activity().placements());
    assertEquals(2, net.stats("m1").totalConnections());
  }

  @Test
  void placements_withoutAMember_areCountedAsRefusedWhenTheyHaveWaited() {
    net.webService(member); // nobody has seen it
    send(40_000, 80, Packet.TCP_SYN);
    assertEquals(1, net.module.activity().pendingPackets());
    assertEquals(0, net.module.activity().placements().get(0).count());

    net.pass(4);

    assertEquals(0, net.module.activity().pendingPackets());
    assertEquals(
        List.of(
            new PlacementCount("http", "RR+SPH", "no_member", 1),
            new PlacementCount("http", "RR+SPH", "placed", 0)),
        net.module.activity().placements());
  }

  @Test
  void placements_ofMoreServicesThanThereIsRoomFor_areCountedTogether() {
    PlacementCounts counts = new PlacementCounts();
    for (int i = 0; i < PlacementCounts.MAX + 10; i++) {
      Service service = new Service("s" + i, "", Protocol.TCP, i + 1, Algorithm.DEFAULT);
      counts.of(service, Algorithm.DEFAULT).placed();
      counts.of(service, Algorithm.DEFAULT).placed();
    }
    assertEquals(PlacementCounts.MAX + 1, counts.all().size());
    assertEquals(
        new PlacementCount(PlacementCounts.OTHERS, PlacementCounts.OTHERS, "placed", 20),
        counts.all().get(PlacementCounts.MAX));
    assertEquals(2L * (PlacementCounts.MAX + 10), counts.placed());
  }

  @Test
  void packetIns_areCountedByWhatBecameOfThem() {
    assumeEndsAreTold();
    serve();
    assertEquals(Map.of("placed", 1L), packetInsOf(() -> send(40_000, 80, Packet.TCP_SYN)));
    assertEquals(
        Map.of("known", 1L),
        packetInsOf(
            () ->
                net.repeatPacketIn(
                    client,
                    Frames.tcp(
                        client.mac(),
                        EdgeMac.of(client.switchId()),
                        client.ip(),
                        40_000,
                        VIP,
                        80,
                        Packet.TCP_SYN))));
    assertEquals(
        Map.of("end", 1L), packetInsOf(() -> send(40_000, 80, Packet.TCP_FIN | Packet.TCP_ACK)));
    assertEquals(Map.of("refused", 1L), packetInsOf(() -> send(40_001, 80, Packet.TCP_ACK)));
    assertEquals(
        Map.of("other", 1L),
        packetInsOf(
            () ->
                net.repeatPacketIn(
                    client,
                    Frames.tcp(
                        client.mac(),
                        member.mac(),
                        client.ip(),
                        40_000,
                        member.ip(),
                        22,
                        Packet.TCP_SYN))));
  }

  @Test
  void placementTimes_countTheWaitForALabel() {
    serve();
    net.holdBarriers();
    send(40_000, 80, Packet.TCP_SYN);
    assertEquals(0, net.module.activity().placementTimes().counts().stream().sum());

    net.nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(30));
    net.releaseBarriers();

    Durations times = net.module.activity().placementTimes();
    assertEquals(1, times.counts().stream().sum());
    assertEquals(TimeUnit.MILLISECONDS.toNanos(30), times.sumNanos());
    int bucket = times.counts().asList().indexOf(1L);
    assertEquals(TimeUnit.MILLISECONDS.toNanos(50), times.boundsNanos().get(bucket));
  }

  @Test
  void placementTimes_longerThanAllBounds_areInTheLastBucket() {
    PlacementTimes times = new PlacementTimes();
    times.count(0);
    times.count(TimeUnit.MICROSECONDS.toNanos(10));
    times.count(TimeUnit.MICROSECONDS.toNanos(10) + 1);
    times.count(TimeUnit.HOURS.toNanos(1));

    Durations now = times.now();

    assertEquals(now.boundsNanos().length() + 1, now.counts().length());
    assertEquals(2, now.counts().get(0));
    assertEquals(1, now.counts().get(1));
    assertEquals(1, now.counts().get(now.boundsNanos().length()));
  }

  @Test
  void traffic_isCountedWhenRulesEnd() {
    serve();
    send(40_000, 80, Packet.TCP_SYN);
    for (int i = 0; i < 10; i++) {
      send(40_000, 80, Packet.TCP_ACK);
    }
    assertEquals(0, net.module.activity().traffic().get("m1").requestBytes());

    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(30));
    net.expire();

    int bytes =
        Frames.tcp(
                client.mac(),
                EdgeMac.of(client.switchId()),
                client.ip(),
                40_000,
                VIP,
                80,
                Packet.TCP_ACK)
            .length;
    assertEquals(10L * bytes, net.module.activity().traffic().get("m1").requestBytes());
  }

  @Test
  void traffic_ofAMemberThatIsDeleted_isForgotten() {
    serve();
    net.delete(Catalog.MEMBERS, "m1");

    assertEquals(ImmutableMap.of(), net.module.activity().traffic());
  }

  @Test
  void pathRepairs_areCountedWhenALinkBreaks() {
    DatapathId s3 = net.addSwitch(3);
    net.link(s1, 3, s3, 1);
    net.link(s3, 2, s2, 3);
    serve();
    send(40_000, 80, Packet.TCP_SYN);
    assertEquals(0, net.module.activity().pathRepairs());

    net.unlink(s1, 2);

    assertTrue(net.module.activity().pathRepairs() >= 1, "" + net.module.activity());
    assertEquals(0, net.module.activity().failedPathRepairs());
  }
}
