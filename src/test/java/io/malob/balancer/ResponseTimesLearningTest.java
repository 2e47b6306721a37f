package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.estimate.TransferTime;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Protocol;
import io.malob.testing.Frames;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * What PREQUAL learns from the ends of connections. Client 1 - s1 - s2 - members 1 and 2. Each
 * measurement shows as the slowness of members: 16 times usual, and once the time for each
 * connection in flight by that of all.
 */
class ResponseTimesLearningTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN | ACK;
  private static final int RST = Packet.TCP_RST | ACK;

  private final BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host first = Host.of(s2, 2, "10.0.0.11");
  private final Host second = Host.of(s2, 3, "10.0.0.12");

  ResponseTimesLearningTest() {
    net.link(s1, 2, s2, 1);
    net.learn(client);
    net.learn(first);
    net.learn(second);
    net.webService(first, second);
    choose("PREQUAL+SPH");
  }

  private void choose(String algorithm) {
    net.change(Catalog.SERVICES, "http", "algorithm", algorithm);
  }

  private void send(int port, int flags) {
    send(port, 80, flags);
  }

  private void send(int port, int vipPort, int flags) {
    byte[] frame =
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), port, VIP, vipPort, flags);
    net.send(client, frame);
  }

  /** Sends a SYN; the number of the member that gets it. */
  private int open(int port) {
    return open(port, 80);
  }

  private int open(int port, int vipPort) {
    send(port, vipPort, SYN);
    return net.module
        .connections(each -> each.request().srcPort() == port, null, 1)
        .connections()
        .get(0)
        .server()
        .number();
  }

  private double slowness(int member) {
    return slowness(member, 80);
  }

  private double slowness(int member, int vipPort) {
    ExplainedConnection explained =
        net.module
            .explain(client.ip(), VIP, Protocol.TCP, vipPort, OptionalInt.empty())
            .orElseThrow();
    return explained.candidates().stream()
        .filter(candidate -> candidate.member().number() == member)
        .findFirst()
        .orElseThrow()
        .values()
        .getOrDefault("slowness", Double.NaN);
  }

  private void assertNothingLearnt() {
    assertEquals(1, slowness(1));
    assertEquals(1, slowness(2));
  }

  /** The members take 1 and 3 s, on average 2. */
  @ParameterizedTest
  @ValueSource(strings = {"PREQUAL", "PREQUAL+SPH", "PREQUAL+HTP"})
  void everyConnectionThatIsFinished_isMeasured(String algorithm) {
    choose(algorithm);
    int quick = open(40_000);
    int slow = open(40_001);
    assertEquals(3, quick + slow);
    net.pass(1);
    send(40_000, FIN);
    net.pass(2);
    send(40_001, FIN);
    assertEquals((16 + 0.5) / 17, slowness(quick), 1e-6);
    assertEquals((16 + 1.5) / 17, slowness(slow), 1e-6);
    send(40_001, FIN); // once more
    assertEquals((16 + 1.5) / 17, slowness(slow), 1e-6);
  }

  /** 4 s for two in flight, and 4 s for one: 8 s for three. */
  @Test
  void timeIsDividedByTheConnectionsInFlightWhenItWasOpened() {
    int first = open(40_000);
    int second = open(40_001);
    int withTwo = open(40_002);
    int withOne = first == withTwo ? second : first;
    net.pass(4);
    send(40_002, FIN);
    send(first == withTwo ? 40_001 : 40_000, FIN);
    double usual = 8 / 3.0;
    assertEquals((16 + 2 / usual) / 17, slowness(withTwo), 1e-6);
    assertEquals((16 + 4 / usual) / 17, slowness(withOne), 1e-6);
  }

  @Test
  void roundTripsOfThePaths_areNotTheMembersTime() {
    DirectedLink there = new DirectedLink(s1, OFPort.of(2), s2, OFPort.of(1));
    DirectedLink back = new DirectedLink(s2, OFPort.of(1), s1, OFPort.of(2));
    net.linkTracker.setTopology(Topology.of(List.of(s1, s2), List.of(there, back)));
    net.linkTracker.latency(there, 100_000_000, net.nanoTime.get());
    net.linkTracker.latency(back, 100_000_000, net.nanoTime.get());
    net.pass(1);
    int quick = open(40_000);
    int slow = open(40_001);
    net.pass(1);
    send(40_000, FIN);
    net.pass(1);
    send(40_001, FIN);
    double inNetwork = TransferTime.nanos(65_536, 0.2e9, Double.POSITIVE_INFINITY) / 1e9;
    double usual = (1 - inNetwork + 2 - inNetwork) / 2;
    assertEquals((16 + (1 - inNetwork) / usual) / 17, slowness(quick), 1e-6);
    assertEquals((16 + (2 - inNetwork) / usual) / 17, slowness(slow), 1e-6);
  }

  @Test
  void connectionThatIsReset_orEndsInSilence_isNotMeasured() {
    open(40_000);
    open(40_001);
    net.pass(1);
    send(40_000, RST);
    for (int seconds = 0; seconds < 30; seconds += 5) {
      net.pass(5);
      net.expire();
    }
    assertNothingLearnt();
  }

  /** After a pause, it is not known what of its time was the client's. */
  @Test
  void connectionThatWasDormant_isNotMeasured() {
    open(40_000);
    for (int seconds = 0; seconds < 30; seconds += 5) {
      net.pass(5);
      net.expire();
    }
    send(40_000, ACK);
    net.pass(1);
    send(40_000, FIN);
    assertNothingLearnt();
  }

  /** The second one on the same port takes 1 s; the first took 3. */
  @Test
  void connectionOnThePortOfAnEndedOne_isMeasuredFromItsOwnSyn() {
    int member = open(40_000);
    net.pass(3);
    send(40_000, FIN);
    net.pass(2);
    assertEquals(member, open(40_000));
    net.pass(1);
    send(40_000, FIN);
    int other = open(40_001);
    net.pass(2);
    send(40_001, FIN);
    assertEquals(3, member + other);
    assertEquals((16 + 2 * 1.0) / 18, slowness(member), 1e-6);
    assertEquals((16 + 1.0) / 17, slowness(other), 1e-6);
  }

  /** One member takes 1 s for a page, the other 3; both take a minute for a computation. */
  @Test
  void eachService_hasMeasurementsOfItsOwn() {
    net.change(Catalog.VIPS, "v", "port", null);
    net.change(Catalog.MEMBERS, "m1", "port", null);
    net.change(Catalog.MEMBERS, "m2", "port", null);
    net.create(Catalog.SERVICES, "id", "compute", "port", "9000", "algorithm", "PREQUAL+SPH");
    int quick = open(40_000);
    int slow = open(40_001);
    net.pass(1);
    send(40_000, FIN);
    net.pass(2);
    send(40_001, FIN);
    assertEquals(3, open(40_002, 9_000) + open(40_003, 9_000));
    net.pass(60);
    send(40_002, 9_000, FIN);
    send(40_003, 9_000, FIN);
    assertEquals((16 + 0.5) / 17, slowness(quick), 1e-6);
    assertEquals((16 + 1.5) / 17, slowness(slow), 1e-6);
    assertEquals(1, slowness(quick, 9_000), 1e-6);
    assertEquals(1, slowness(slow, 9_000), 1e-6);
  }

  @Test
  void connectionOfAnotherAlgorithm_isNotMeasured() {
    choose("LC+SPH");
    open(40_000);
    open(40_001);
    net.pass(1);
    send(40_000, FIN);
    choose("PREQUAL+SPH");
    send(40_001, FIN);
    assertNothingLearnt();
  }
}
