package io.malob.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.TimesToLive;
import io.malob.testing.PeerFuzz;
import io.malob.testing.PeerNetwork;
import io.malob.testing.Stub;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Two controllers that share their measurements; their clocks differ. */
class PeerMeasurementsTest {
  private static final DatapathId LEFT = DatapathId.of(1);
  private static final DatapathId RIGHT = DatapathId.of(2);
  private static final DirectedLink LINK =
      new DirectedLink(LEFT, OFPort.of(1), RIGHT, OFPort.of(2));
  private static final Topology TOPOLOGY = Topology.of(List.of(LEFT, RIGHT), List.of(LINK));
  private static final long LIFE = 10_000;

  private final PeerNetwork network = new PeerNetwork();
  private long now = 1_000;
  private final Controller a = new Controller("a", 0);
  private final Controller b = new Controller("b", 700_000);

  private final class Controller {
    final PeerNetwork.Peer streams;
    final MeasuredLinks links = new MeasuredLinks(new TimesToLive(LIFE, LIFE, LIFE, LIFE));
    final PeerMeasurements shared;
    final long clock;

    Controller(String name, long clock) {
      this.clock = clock;
      streams = network.peer(name);
      shared = new PeerMeasurements(streams, links, this::now, Runnable::run);
      streams.listen(PeerTopic.MEASUREMENTS, shared);
      links.setTopology(TOPOLOGY);
    }

    long now() {
      return now + clock;
    }

    LinkMeasurements link() {
      return links.snapshot(now()).get(LINK);
    }
  }

  private void tell() {
    a.shared.publish();
    b.shared.publish();
  }

  /** A link with a latency, and nothing else. */
  private static byte[] message(double latency) {
    ByteBuffer message = ByteBuffer.allocate(24 + 4 * 16);
    message.putLong(LEFT.getLong()).putInt(1).putLong(RIGHT.getLong()).putInt(2);
    message.putLong(0).putDouble(latency);
    for (int i = 0; i < 3; i++) {
      message.putLong(-1).putDouble(0);
    }
    return message.array();
  }

  @Test
  void damagedMessages_areRejectedOrTaken() {
    PeerFuzz.check(
        tasks -> new PeerMeasurements(b.streams, b.links, b::now, tasks::add), message(5_000));
  }

  @Test
  void messageWithAnImpossibleValue_isRejectedAsAWhole() {
    ByteBuffer both = ByteBuffer.allocate(2 * message(0).length);
    both.put(message(5_000)).put(message(Double.NaN)).flip();
    assertThrows(IllegalArgumentException.class, () -> b.shared.received("a", both));
    assertNull(b.link().latencyNanos());
  }

  @Test
  void values_reachTheOther_withTheirAge() {
    network.connect(a.streams, b.streams);
    a.links.latency(LINK, 5_000, a.now());
    a.links.agentThroughput(LINK, 7e6, a.now());
    a.links.use(LINK, 1e6, 10e6, a.now());
    now += 40;
    tell();

    assertEquals(a.link().latencyNanos().value(), b.link().latencyNanos().value());
    assertEquals(7e6, b.link().agentThroughputBps().value());
    assertEquals(9e6, b.link().unusedBps().value());
    assertEquals(1e6, b.link().useBps().value());
    assertEquals(40, b.link().useBps().ageNanos(b.now()));
    assertEquals(a.link().useBps().source(), b.link().useBps().source());
  }

  @Test
  void peerThatIsReachedLater_getsWhatIsFresh() {
    a.links.latency(LINK, 5_000, a.now());
    a.shared.publish();
    now += LIFE / 2;
    a.links.use(LINK, 1e6, a.now());
    network.connect(a.streams, b.streams);
    tell();

    assertNotNull(b.link().latencyNanos());
    now += LIFE / 2 + 1;
    assertNull(b.link().latencyNanos());
    assertNotNull(b.link().useBps());
  }

  @Test
  void onlyNewValues_areTold_andNoneIsToldBack() {
    network.connect(a.streams, b.streams);
    a.links.use(LINK, 1e6, a.now());
    now += 10;
    tell();
    int told = network.messages;
    now += 10;
    tell();
    now += 10;
    tell();

    assertEquals(1, told);
    assertEquals(told, network.messages);
  }

  @Test
  void ownFreshValue_winsOverANewerOneOfTheOther_butNotWhenExpired() {
    network.connect(a.streams, b.streams);
    b.links.use(LINK, 2e6, b.now());
    now += LIFE / 2;
    a.links.use(LINK, 1e6, a.now());
    tell();
    assertEquals(2e6, b.link().useBps().value());

    now += LIFE / 2 + 1;
    assertEquals(1e6, b.link().useBps().value());
  }

  /** A standby is master of no switch, so it has no topology; it shows the values nevertheless. */
  @Test
  void linkOutsideOfTheTopology_isShown_andUsedAsSoonAsItIsInside() {
    b.links.setTopology(Topology.EMPTY);
    network.connect(a.streams, b.streams);
    a.links.use(LINK, 1e6, a.now());
    tell();

    assertFalse(b.links.snapshot(b.now()).containsKey(LINK));
    assertEquals(1e6, b.links.snapshotOfAll(b.now()).get(LINK).useBps().value());
    b.links.setTopology(TOPOLOGY);
    assertEquals(1e6, b.link().useBps().value());
  }

  @Test
  void expiredValues_areForgotten() {
    b.links.setTopology(Topology.EMPTY);
    network.connect(a.streams, b.streams);
    a.links.use(LINK, 1e6, a.now());
    tell();
    now += LIFE + 1;
    tell();

    assertEquals(0, b.links.snapshotOfAll(b.now()).size());
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    List<ByteBuffer> messages = new ArrayList<>();
    PeerNetwork.Peer streams = network.peer("c");
    streams.listen(
        PeerTopic.MEASUREMENTS,
        Stub.of(PeerListener.class)
            .on("received", with -> messages.add((ByteBuffer) with[1]))
            .on("reached", with -> null)
            .make());
    network.connect(a.streams, streams);
    a.links.latency(LINK, 5_000, a.now());
    a.links.use(LINK, 1e6, 10e6, a.now());
    now += 40;
    a.shared.publish();
    WireBytes.check("measurements", messages.get(0).array());
  }
}
