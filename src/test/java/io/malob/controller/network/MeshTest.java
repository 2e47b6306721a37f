package io.malob.controller.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Random meshes with loops; each switch has one host, at port 1. */
class MeshTest {
  private static final int HOST_PORT = 1;

  private EmulatedNetwork network;
  private List<int[]> cables;
  private int size;

  static LongStream seeds() {
    return LongStream.range(0, 12);
  }

  @BeforeEach
  void start() throws Exception {
    network = new EmulatedNetwork();
    cables = new ArrayList<>();
  }

  private void build(Random random) {
    size = 3 + random.nextInt(6);
    int[] ports = new int[size + 1];
    for (int to = 2; to <= size; to++) {
      cable(ports, 1 + random.nextInt(to - 1), to);
    }
    for (int extra = 0; extra < size; extra++) {
      cable(ports, 1 + random.nextInt(size), 1 + random.nextInt(size));
    }
  }

  private void cable(int[] ports, int a, int b) {
    int portA = HOST_PORT + ++ports[a];
    int portB = HOST_PORT + ++ports[b];
    cables.add(new int[] {a, portA, b, portB});
    network.switches.connect(DatapathId.of(a), portA, DatapathId.of(b), portB);
  }

  private void connectToController(int id) {
    int highest =
        cables.stream()
            .flatMapToInt(c -> IntStream.of(c[0] == id ? c[1] : 0, c[2] == id ? c[3] : 0))
            .max()
            .orElse(0);
    network.add(
        DatapathId.of(id),
        IntStream.rangeClosed(1, Math.max(HOST_PORT, highest))
            .mapToObj(OFPort::of)
            .toArray(OFPort[]::new));
  }

  private static MacAddress mac(int id) {
    return MacAddress.of(0x02_00_00_00_00_00L + id);
  }

  private List<NodePortTuple> broadcastFrom(int id) {
    byte[] frame =
        Frames.arpRequest(mac(id), IPv4Address.of(0x0a000000 + id), IPv4Address.of("10.0.0.250"));
    return network.switches.inject(DatapathId.of(id), HOST_PORT, frame).stream()
        .map(Delivery::at)
        .toList();
  }

  private void assertNoDuplicates() {
    for (int id = 1; id <= size; id++) {
      List<NodePortTuple> reached = broadcastFrom(id);
      assertEquals(new HashSet<>(reached).size(), reached.size(), reached::toString);
    }
  }

  private void assertHostsAreAtHostPorts() {
    network
        .devices
        .getAllDevices()
        .forEach(
            device -> {
              for (var at : device.getAttachmentPoints()) {
                assertEquals(OFPort.of(HOST_PORT), at.getPortId(), device::toString);
              }
            });
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void broadcasts_whileSwitchesAndLinksComeAndGo_giveNeitherStormNorDuplicate(long seed) {
    Random random = new Random(seed);
    build(random);
    network.probeDelay = 100L * random.nextInt(6);
    for (int id = 1; id <= size; id++) {
      connectToController(id);
      network.pass(100L * random.nextInt(25));
      assertNoDuplicates();
      assertHostsAreAtHostPorts();
    }
    for (int step = 0; step < 30; step++) {
      network.pass(100);
      assertNoDuplicates();
    }
    int lost = 1 + random.nextInt(size);
    network.remove(DatapathId.of(lost));
    for (int step = 0; step < 15; step++) {
      assertNoDuplicates();
      network.pass(100);
    }
    connectToController(lost);
    for (int step = 0; step < 30; step++) {
      assertNoDuplicates();
      network.pass(100);
    }
    assertHostsAreAtHostPorts();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void broadcast_inSettledMesh_reachesEachOtherHostOnce(long seed) {
    build(new Random(seed));
    IntStream.rangeClosed(1, size).forEach(this::connectToController);
    network.pass(2_000);
    assertEquals(2 * cables.size(), network.links.getLinks().size());
    for (int id = 1; id <= size; id++) {
      Set<NodePortTuple> others = new HashSet<>();
      for (int other = 1; other <= size; other++) {
        if (other != id) {
          others.add(new NodePortTuple(DatapathId.of(other), OFPort.of(HOST_PORT)));
        }
      }
      List<NodePortTuple> reached = broadcastFrom(id);
      assertEquals(others, new HashSet<>(reached));
      assertEquals(others.size(), reached.size());
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void unicast_overRandomMesh_arrivesOnceBeforeAndAfterALinkIsLost(long seed) {
    Random random = new Random(seed);
    build(random);
    IntStream.rangeClosed(1, size).forEach(this::connectToController);
    network.pass(2_000);
    IntStream.rangeClosed(1, size).forEach(this::broadcastFrom);
    assertAllPairsReached();
    int[] cable = cables.get(size - 1 + random.nextInt(size)); // not of the spanning tree
    network.switches.cut(DatapathId.of(cable[0]), cable[1]);
    network.portDown(DatapathId.of(cable[0]), cable[1]);
    network.portDown(DatapathId.of(cable[2]), cable[3]);
    assertAllPairsReached();
  }

  private void assertAllPairsReached() {
    for (int from = 1; from <= size; from++) {
      for (int to = 1; to <= size; to++) {
        if (from != to) {
          assertReachesOnceEachTime(from, to);
        }
      }
    }
  }

  private void assertReachesOnceEachTime(int from, int to) {
    byte[] frame =
        Frames.udp(
            mac(from),
            mac(to),
            IPv4Address.of(0x0a000000 + from),
            5_000,
            IPv4Address.of(0x0a000000 + to),
            6_000,
            new byte[] {1, 2, 3});
    List<NodePortTuple> expected =
        List.of(new NodePortTuple(DatapathId.of(to), OFPort.of(HOST_PORT)));
    for (int packet = 0; packet < 2; packet++) {
      int before = network.packetIns;
      List<NodePortTuple> reached =
          network.switches.inject(DatapathId.of(from), HOST_PORT, frame).stream()
              .map(Delivery::at)
              .toList();
      assertEquals(expected, reached);
      assertTrue(packet == 0 || network.packetIns == before, "the rules are not there");
    }
  }
}
