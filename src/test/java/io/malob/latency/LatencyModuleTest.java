package io.malob.latency;

import static io.malob.latency.LatencyNetwork.MILLI;
import static io.malob.testing.Topologies.link;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.latency.LatencyCounters.ProbeCount;
import io.malob.latency.LatencyNetwork.Arrival;
import io.malob.testing.Frames;
import io.malob.testing.Topologies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The module in simulated time: switches 1 and 2 with one link, unless a test says otherwise. */
class LatencyModuleTest {
  private static final Topology PAIR = Topologies.of(2, new int[] {1, 2});
  private static final DirectedLink THERE = link(1, 2);
  private static final DirectedLink BACK = link(2, 1);
  private static final long INTERVAL_MILLIS = 2_000;
  private static final byte[] ARP =
      Frames.arpRequest(
          MacAddress.of("02:00:00:00:00:01"),
          IPv4Address.of("10.0.0.1"),
          IPv4Address.of("10.0.0.2"));

  private final LatencyNetwork network = network(PAIR, Map.of());

  private static LatencyNetwork network(Topology topology, Map<String, String> settings) {
    try {
      return new LatencyNetwork(topology, settings);
    } catch (FloodlightModuleException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void latency_ofBothDirections_isExactWhateverTheControlChannelsTake(ControlMethod method) {
    LatencyNetwork lan =
        network(PAIR, Map.of("controlMethod", method == ControlMethod.ECHO ? "echo" : "packet"));
    lan.latency(THERE, 15 * MILLI);
    lan.latency(BACK, 18 * MILLI);
    lan.channel(1).there = () -> 20 * MILLI;
    lan.channel(1).back = () -> 20 * MILLI;
    lan.passMillis(INTERVAL_MILLIS);
    assertEquals(15.0 * MILLI, lan.measured(THERE));
    assertEquals(18.0 * MILLI, lan.measured(BACK));
    assertEquals(method == ControlMethod.ECHO, lan.echoes > 0);
    assertEquals(
        Map.of(
            DatapathId.of(1), new ControlRoundTrip(method, OptionalLong.of(40 * MILLI)),
            DatapathId.of(2), new ControlRoundTrip(method, OptionalLong.of(2 * MILLI))),
        lan.module.controlRoundTrips());
  }

  @Test
  void latency_ofAsymmetricControlChannel_isWrongByTheDifferenceButRightInSum() {
    network.latency(THERE, 15 * MILLI);
    network.latency(BACK, 18 * MILLI);
    network.channel(1).there = () -> 8 * MILLI;
    network.channel(1).back = () -> 2 * MILLI;
    network.passMillis(INTERVAL_MILLIS);
    assertEquals(18.0 * MILLI, network.measured(THERE));
    assertEquals(15.0 * MILLI, network.measured(BACK));
  }

  @Test
  void probes_ofFewLinks_areSixteenPerIntervalForEachLinkAndSwitch() {
    network.passMillis(10 + 10 * INTERVAL_MILLIS);
    LatencyCounters counters = network.module.counters();
    assertNear(2 * 160, counters.links().sent(), 2);
    assertNear(2 * 160, counters.control().sent(), 2);
    assertEquals(0, counters.links().lost());
    assertEquals(0, counters.links().unsent());
    assertNear(counters.links().sent(), counters.links().answered(), 1);
  }

  /** Jitter, queues and cross traffic: what is added to each message is random, often nothing. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void latency_underCrossTrafficAndJitter_isWithinAMillisecondAndATenth(int seed) {
    Random random = new Random(seed);
    network.channel(1).there = () -> 20 * MILLI + random.nextLong(2 * MILLI);
    network.channel(1).back = () -> 20 * MILLI + random.nextLong(2 * MILLI);
    // a queue that is empty half of the time
    network.latency(
        THERE, () -> 7 * MILLI + (random.nextBoolean() ? 0 : random.nextLong(30 * MILLI)));
    network.passMillis(3 * INTERVAL_MILLIS);
    int right = 0;
    for (int second = 0; second < 100; second++) {
      network.passMillis(1_000);
      right += Math.abs(network.measured(THERE) - 7 * MILLI) <= 1.7 * MILLI ? 1 : 0;
    }
    assertTrue(right >= 95, "right in " + right + " of 100 seconds");
  }

  @ParameterizedTest
  @CsvSource({"1, 36", "36, 1", "0, 10", "10, 0"})
  void latency_thatJumps_isSeenWithinThreeIntervals(long before, long after) {
    network.latency(THERE, before * MILLI);
    network.passMillis(5 * INTERVAL_MILLIS);
    assertEquals((double) before * MILLI, network.measured(THERE));
    network.latency(THERE, after * MILLI);
    network.passMillis(3 * INTERVAL_MILLIS);
    assertNear(Math.round(network.measured(THERE)), after * MILLI, MILLI + after * MILLI / 10);
  }

  @Test
  void switch_thatAnswersNoEcho_isMeasuredByPackets() {
    network.channel(1).answersEcho = false;
    network.latency(THERE, 15 * MILLI);
    network.passMillis(3_000);
    assertNull(network.measured(THERE));
    assertEquals(OptionalLong.empty(), control(1).nanos());
    network.passMillis(500 + INTERVAL_MILLIS);
    assertEquals(15.0 * MILLI, network.measured(THERE));
    assertEquals(
        new ControlRoundTrip(ControlMethod.PACKET, OptionalLong.of(2 * MILLI)), control(1));
    assertEquals(ControlMethod.ECHO, control(2).method());
    assertTrue(network.module.counters().control().lost() >= 3);
    assertTrue(network.module.counters().discarded().get("no_control") > 0);
  }

  @Test
  void switch_thatGivesNoPacketsBack_isMeasuredByEcho() {
    LatencyNetwork lan = network(PAIR, Map.of("controlMethod", "packet"));
    lan.channel(1).answersPackets = false;
    lan.latency(THERE, 15 * MILLI);
    lan.passMillis(3 * 500 + 3_000 + INTERVAL_MILLIS);
    assertEquals(15.0 * MILLI, lan.measured(THERE));
    assertEquals(ControlMethod.ECHO, lan.module.controlRoundTrips().get(DatapathId.of(1)).method());
  }

  @Test
  void link_thatGoesAndComesBack_isMeasuredAnew() {
    network.latency(THERE, 15 * MILLI);
    network.latency(BACK, 18 * MILLI);
    network.passMillis(INTERVAL_MILLIS);
    network.setTopology(Topologies.directed(2, List.of(BACK)));
    network.passMillis(INTERVAL_MILLIS);
    int sentAt = network.sent.size();
    network.passMillis(INTERVAL_MILLIS);
    assertTrue(
        network.sent.subList(sentAt, network.sent.size()).stream()
            .noneMatch(each -> each.switchId().equals(THERE.src())),
        "no more probes over the link that has gone");
    network.latency(THERE, 3 * MILLI);
    network.setTopology(PAIR);
    assertNull(network.measured(THERE));
    network.passMillis(INTERVAL_MILLIS);
    assertEquals(3.0 * MILLI, network.measured(THERE), "nothing is left of the old latency");
    assertEquals(18.0 * MILLI, network.measured(BACK));
  }

  @Test
  void switch_thatGoes_isForgotten() {
    network.passMillis(INTERVAL_MILLIS);
    network.setTopology(Topology.of(List.of(DatapathId.of(2)), List.of()));
    network.passMillis(INTERVAL_MILLIS);
    assertEquals(
        List.of(DatapathId.of(2)), List.copyOf(network.module.controlRoundTrips().keySet()));
  }

  @Test
  void probe_thatDoesNotComeBack_isCountedAndForgotten() {
    network.tampering = arrival -> null;
    network.passMillis(10_000);
    ProbeCount links = network.module.counters().links();
    assertNear(2 * 4 * 14, links.lost(), 2); // those of the first 7 s
    assertEquals(0, links.answered());
    assertNear(links.sent() - links.lost(), 2 * 4 * 6, 2);
  }

  @Test
  void probe_thatComesTooLate_isCountedAndNotUsed() {
    network.latency(THERE, 3_100 * MILLI);
    network.passMillis(10_000);
    LatencyCounters counters = network.module.counters();
    assertNull(network.measured(THERE));
    assertTrue(counters.discarded().get("not_awaited") >= 10, counters.toString());
    assertTrue(counters.links().lost() >= 10, counters.toString());
  }

  @Test
  void latency_tooLongToBelieve_isCountedAndNotUsed() {
    network.latency(THERE, 1_001 * MILLI);
    network.passMillis(10_000);
    assertNull(network.measured(THERE));
    assertTrue(network.module.counters().discarded().get("absurd") >= 10);
  }

  @Test
  void result_belowZero_isCountedAndNotUsed() {
    network.latency(THERE, 2 * MILLI);
    network.channel(1).echoNanos = 7 * MILLI;
    network.passMillis(10_000);
    assertNull(network.measured(THERE));
    assertTrue(network.module.counters().discarded().get("negative") >= 10);
  }

  @Test
  void result_littleBelowZero_isZeroAndCounted() {
    network.channel(1).echoNanos = MILLI;
    network.passMillis(10_000);
    assertEquals(0.0, network.measured(THERE));
    assertTrue(network.module.counters().clamped() >= 10);
    assertEquals(0, network.module.counters().discarded().get("negative"));
  }

  @Test
  void switch_thatIsNotActiveOrDoesNotRead_getsNothingAndIsCounted() {
    network.setActive(1, false);
    network.channel(2).reads = false;
    network.passMillis(10_000);
    LatencyCounters counters = network.module.counters();
    assertEquals(0, counters.links().sent());
    assertNear(160, counters.links().unsent(), 2);
    assertNear(160, counters.control().unsent(), 2);
    network.setActive(1, true);
    network.channel(2).reads = true;
    network.passMillis(INTERVAL_MILLIS);
    assertEquals(0.0, network.measured(THERE));
  }

  /** Another controller is master of the second switch, and this one hears it as its slave. */
  @ParameterizedTest
  @EnumSource
  void link_toAnotherMastersSwitch_isMeasuredByEchoesOfThatSwitch(ControlMethod method) {
    LatencyNetwork lan =
        network(PAIR, Map.of("controlMethod", method == ControlMethod.ECHO ? "echo" : "packet"));
    lan.setActive(2, false);
    lan.latency(THERE, 15 * MILLI);
    lan.channel(2).there = () -> 20 * MILLI;
    lan.channel(2).back = () -> 20 * MILLI;
    lan.passMillis(INTERVAL_MILLIS);
    assertEquals(15.0 * MILLI, lan.measured(THERE));
    assertNull(lan.measured(BACK), "its master measures it");
    assertTrue(
        lan.sent.stream().allMatch(each -> each.switchId().equals(THERE.src())),
        "a slave sends nothing by the switch");
    lan.setActive(2, true);
    lan.setActive(1, false);
    lan.latency(BACK, 18 * MILLI);
    lan.passMillis(3 * INTERVAL_MILLIS);
    assertEquals(18.0 * MILLI, lan.measured(BACK));
  }

  @Test
  void switch_thatHasAnotherMaster_andNoLinkFromOwnSwitches_isNotProbed() {
    network.setActive(1, false);
    network.setActive(2, false);
    network.passMillis(INTERVAL_MILLIS);
    assertEquals(0, network.echoes);
    assertEquals(List.of(), network.writes);
  }

  @Test
  void frame_repeated_isCountedAndChangesNothing() {
    List<Arrival> arrived = new ArrayList<>();
    network.latency(THERE, 15 * MILLI);
    network.tampering =
        arrival -> {
          arrived.add(arrival);
          return arrival;
        };
    network.passMillis(INTERVAL_MILLIS);
    List<Arrival> first = List.copyOf(arrived.subList(0, 4));
    first.forEach(network::packetIn);
    network.passMillis(INTERVAL_MILLIS);
    first.forEach(network::packetIn);
    assertEquals(8, network.module.counters().discarded().get("not_awaited"));
    assertEquals(15.0 * MILLI, network.measured(THERE));
    assertEquals(List.of(), network.leftToOthers);
  }

  @Test
  void frame_playedBackElsewhere_isCountedAndTheRealOneStillCounts() {
    network.latency(THERE, 15 * MILLI);
    network.tampering =
        arrival -> {
          network.packetIn(new Arrival(arrival.switchId(), OFPort.of(77), arrival.frame()));
          network.packetIn(new Arrival(DatapathId.of(9), arrival.port(), arrival.frame()));
          return arrival;
        };
    network.passMillis(INTERVAL_MILLIS);
    LatencyCounters counters = network.module.counters();
    assertEquals(15.0 * MILLI, network.measured(THERE));
    assertNear(2 * counters.links().answered(), counters.discarded().get("elsewhere"), 2);
  }

  @Test
  void frame_forgedTruncatedOrForeign_isCountedAndStopped() {
    network.passMillis(INTERVAL_MILLIS);
    Arrival real = network.sent.get(network.sent.size() - 1);
    byte[] forged = real.frame().clone();
    forged[41] ^= 1;
    byte[] foreign = real.frame().clone();
    foreign[20] ^= 1;
    byte[] truncated = Arrays.copyOf(real.frame(), 30);
    for (byte[] each : List.of(forged, foreign, truncated)) {
      network.packetIn(new Arrival(real.switchId(), real.port(), each));
    }
    Map<String, Long> discarded = network.module.counters().discarded();
    assertEquals(1, discarded.get("forged"));
    assertEquals(1, discarded.get("foreign"));
    assertEquals(1, discarded.get("malformed"));
    assertEquals(List.of(), network.leftToOthers);
  }

  @Test
  void frame_withTheNumberOfAnEcho_isNotItsAnswer() {
    network.channel(1).answersEcho = false;
    network.passMillis(500);
    ProbeFrames sameRun = new ProbeFrames(new Random(1)::nextLong);
    for (long number = 0; number < 10; number++) {
      byte[] frame = sameRun.frame(number, DatapathId.of(1), OFPort.CONTROLLER);
      network.packetIn(new Arrival(DatapathId.of(1), OFPort.CONTROLLER, frame));
    }
    network.passMillis(INTERVAL_MILLIS);
    assertEquals(OptionalLong.empty(), control(1).nanos());
    assertEquals(10, network.module.counters().discarded().get("not_awaited"));
  }

  @Test
  void packet_thatIsNoProbe_isLeftToOthers() {
    Arrival other = new Arrival(DatapathId.of(1), OFPort.of(2), ARP);
    network.packetIn(other);
    assertEquals(List.of(other), network.leftToOthers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "linkdiscovery",
        "topology",
        "devicemanager",
        "firewall",
        "loadbalancer",
        "forwarding"
      })
  void listener_isCalledBeforeAllThatLookAtPackets(String other) {
    assertTrue(network.listener().isCallbackOrderingPostreq(OFType.PACKET_IN, other));
    assertFalse(network.listener().isCallbackOrderingPrereq(OFType.PACKET_IN, other));
    assertFalse(network.listener().isCallbackOrderingPostreq(OFType.FLOW_REMOVED, other));
  }

  @ParameterizedTest
  @CsvSource({
    "intervalMillis, 9",
    "intervalMillis, soon",
    "probesPerInterval, 0",
    "windowMillis, 0",
    "lostMillis, -1",
    "maxLatencyMillis, 0",
    "controlMethod, ping"
  })
  void setting_thatIsWrong_isRefusedByName(String key, String value) {
    FloodlightModuleException refused =
        assertThrows(
            FloodlightModuleException.class, () -> new LatencyNetwork(PAIR, Map.of(key, value)));
    assertTrue(refused.getMessage().startsWith(LatencyModule.class.getName() + "." + key));
    assertTrue(refused.getMessage().contains("\"" + value + "\""), refused.getMessage());
  }

  @Test
  void interval_ofASetting_isKept() {
    LatencyNetwork lan = network(PAIR, Map.of("intervalMillis", "400", "probesPerInterval", "2"));
    lan.passMillis(4_000);
    assertNear(2 * 8 * 20, lan.module.counters().links().sent(), 2);
  }

  @Test
  void probes_ofManyLinks_leaveSpreadEvenly() {
    LatencyNetwork lan = network(ring(300), Map.of());
    lan.passMillis(40);
    long[] perTick = new long[50];
    for (int tick = 0; tick < perTick.length; tick++) {
      long before = all(lan);
      lan.passMillis(20);
      perTick[tick] = all(lan) - before;
    }
    // 600 directed links and 300 switches, each once in 50 ticks: there are too many for more
    assertEquals(900, Arrays.stream(perTick).sum());
    assertTrue(Arrays.stream(perTick).allMatch(sent -> sent == 18), Arrays.toString(perTick));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void probes_ofMoreThanAThousandTargets_areOnePerInterval(int asked) {
    LatencyNetwork lan = network(ring(500), Map.of("probesPerInterval", Integer.toString(asked)));
    lan.passMillis(40);
    long[] perTick = new long[100];
    for (int tick = 0; tick < perTick.length; tick++) {
      long before = all(lan);
      lan.passMillis(20);
      perTick[tick] = all(lan) - before;
    }
    assertEquals(1_500, Arrays.stream(perTick).sum());
    assertTrue(Arrays.stream(perTick).allMatch(sent -> sent == 15), Arrays.toString(perTick));
  }

  /** Two probes in a window of two intervals: a disturbance must meet both of them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void latency_inALargeNetworkWithNoise_isWithinAMillisecondAndATenth(int seed) {
    Random random = new Random(seed);
    LatencyNetwork lan = network(ring(340), Map.of());
    List<DirectedLink> links = new ArrayList<>();
    for (int id = 1; id <= 340; id++) {
      lan.channel(id).there = () -> 20 * MILLI + random.nextLong(MILLI);
      lan.channel(id).back = () -> 20 * MILLI + random.nextLong(MILLI);
      DirectedLink link = link(id, id % 340 + 1);
      // a queue that is empty nine times of ten
      lan.latency(
          link, () -> 7 * MILLI + (random.nextInt(10) > 0 ? 0 : random.nextLong(30 * MILLI)));
      links.add(link);
    }
    lan.passMillis(5 * INTERVAL_MILLIS);
    for (int interval = 0; interval < 5; interval++) {
      lan.passMillis(INTERVAL_MILLIS);
      long right =
          links.stream()
              .filter(link -> Math.abs(lan.measured(link) - 7 * MILLI) <= 1.7 * MILLI)
              .count();
      assertTrue(right >= 0.95 * links.size(), "right are " + right + " of " + links.size());
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 36", "36, 1", "0, 10", "10, 0"})
  void latency_thatJumpsInALargeNetwork_isSeenWithinThreeIntervals(long before, long after) {
    LatencyNetwork lan = network(ring(340), Map.of());
    lan.latency(THERE, before * MILLI);
    lan.passMillis(5 * INTERVAL_MILLIS);
    assertEquals((double) before * MILLI, lan.measured(THERE));
    lan.latency(THERE, after * MILLI);
    lan.passMillis(3 * INTERVAL_MILLIS);
    assertNear(Math.round(lan.measured(THERE)), after * MILLI, MILLI + after * MILLI / 10);
  }

  @Test
  void probes_ofASwitchAndItsLinks_leaveInOneWrite() {
    LatencyNetwork lan = network(ring(500), Map.of());
    lan.passMillis(INTERVAL_MILLIS);
    assertNear(all(lan), 3L * lan.writes.size(), 0);
    assertTrue(lan.writes.stream().allMatch(write -> write.messages() == 3));
  }

  @Test
  void probes_ofASwitchWithManyLinks_areManyWritesFarApart() {
    int[][] links = new int[20][];
    Arrays.setAll(links, i -> new int[] {1, i + 2});
    LatencyNetwork lan = network(Topologies.of(21, links), Map.of());
    lan.passMillis(INTERVAL_MILLIS);
    List<LatencyNetwork.Write> writes =
        lan.writes.stream().filter(write -> write.switchId().getLong() == 1).toList();
    // 21 targets: 8, 8, and 5
    assertTrue(writes.stream().allMatch(write -> write.messages() <= 8), writes.toString());
    assertNear(7L * writes.size(), writes.stream().mapToInt(write -> write.messages()).sum(), 8);
    for (int i = 1; i < writes.size(); i++) {
      assertTrue(
          writes.get(i).atNanos() - writes.get(i - 1).atNanos() >= 10 * MILLI, writes.toString());
    }
  }

  @Test
  void echoReply_ofAnotherModuleOrSwitch_answersNoProbe() {
    network.channel(1).answersEcho = false;
    network.passMillis(500);
    ProbeFrames sameRun = new ProbeFrames(new Random(1)::nextLong);
    for (long number = 0; number < 10; number++) {
      assertTrue(network.isTaken(DatapathId.of(2), echoReply(sameRun.echo(number))));
    }
    assertFalse(network.isTaken(DatapathId.of(1), echoReply(new byte[0])));
    byte[] foreign = sameRun.echo(0);
    foreign[0] ^= 1;
    assertFalse(network.isTaken(DatapathId.of(1), echoReply(foreign)));
    assertEquals(OptionalLong.empty(), control(1).nanos());
  }

  private static OFEchoReply echoReply(byte[] data) {
    return OFFactories.getFactory(OFVersion.OF_13).buildEchoReply().setData(data).build();
  }

  private static long all(LatencyNetwork lan) {
    LatencyCounters counters = lan.module.counters();
    return counters.links().sent() + counters.control().sent();
  }

  private static Topology ring(int size) {
    int[][] links = new int[size][];
    for (int i = 0; i < size; i++) {
      links[i] = new int[] {i + 1, (i + 1) % size + 1};
    }
    return Topologies.of(size, links);
  }

  private static void assertNear(long expected, long actual, long tolerance) {
    assertTrue(Math.abs(expected - actual) <= tolerance, expected + " is missed by " + actual);
  }

  private ControlRoundTrip control(long switchId) {
    ControlRoundTrip found = network.module.controlRoundTrips().get(DatapathId.of(switchId));
    assertNotNull(found);
    return found;
  }
}
