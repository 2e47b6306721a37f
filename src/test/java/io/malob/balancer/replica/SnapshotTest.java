package io.malob.balancer.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.admission.AdmissionControl;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.ReadSwitches;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.UnownedSwitches;
import io.malob.balancer.replica.ReplicaEntry.Begin;
import io.malob.balancer.replica.ReplicaEntry.End;
import io.malob.balancer.replica.ReplicaEntry.LabelGone;
import io.malob.balancer.replica.ReplicaEntry.Labelled;
import io.malob.balancer.view.ViewWriter;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.stream.IntStream;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** A snapshot of many labels is sent as a whole, and one with holes is not taken for complete. */
class SnapshotTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<ReplicaEntry> sent = new ArrayList<>();
  private final IOFSwitchService switches = mock(IOFSwitchService.class);
  private final UnownedSwitches unowned = mock(UnownedSwitches.class);
  private final ConnectionTable connections = new ConnectionTable(9, 9, 9, () -> 0, gone -> {});
  private final LabelTable labels = new LabelTable(new RuleSender(new FakeSwitches(1)), () -> 0L);
  private final ReplicaTables tables =
      new ReplicaTables(
          connections, labels, mock(HalfOpenLimit.class), unowned, new ReadSwitches());
  private final IPeerService service =
      new IPeerService() {
        @Override
        public void listen(PeerTopic topic, PeerListener listener) {}

        @Override
        public boolean send(String peer, PeerTopic topic, byte[] message) {
          sent.addAll(ReplicaFormat.read(ByteBuffer.wrap(message)));
          return true;
        }

        @Override
        public ImmutableSet<String> reached() {
          return ImmutableSet.of("b");
        }
      };
  private final ReplicaPublisher publisher =
      new ReplicaPublisher(service, switches, tables, () -> 0L);
  private final Replica replica =
      new Replica(
          service,
          mock(ReplicaPublisher.class),
          tables,
          mock(AdmissionControl.class),
          mock(ConnectionTeardown.class),
          mock(ViewWriter.class),
          tasks::add,
          () -> 0L);

  SnapshotTest() {
    when(switches.getAllSwitchDpids()).thenReturn(ImmutableSet.of());
  }

  private static Path path(int hops) {
    return new Path(
        S1,
        IntStream.rangeClosed(1, hops)
            .mapToObj(
                i ->
                    new DirectedLink(
                        DatapathId.of(i), OFPort.of(2), DatapathId.of(i + 1), OFPort.of(1)))
            .collect(ImmutableList.toImmutableList()));
  }

  @Test
  void manyLabels_areSentWhole() {
    int count = 250_000;
    when(unowned.keepsLabel(anyInt(), any())).thenReturn(true);
    Path path = path(5);
    IntStream.rangeClosed(1, count).forEach(id -> labels.replicate(new Label(id), path, null));
    publisher.begin("b");
    for (int i = 0; i < 1_000 && !(last() instanceof End); i++) {
      publisher.tick();
    }
    assertTrue(last() instanceof End, () -> sent.size() + " entries");
    assertEquals(1, sent.stream().filter(each -> each instanceof Begin).count());
    Set<Integer> ids = new HashSet<>();
    sent.forEach(
        each -> {
          if (each instanceof Labelled labelled) {
            ids.add(labelled.label());
          }
        });
    assertEquals(count, ids.size());
  }

  private ReplicaEntry last() {
    return sent.isEmpty() ? new LabelGone(0) : sent.get(sent.size() - 1);
  }

  private static ByteBuffer message(ReplicaEntry... entries) {
    FieldWriter message = new FieldWriter(1_000);
    ReplicaFormat.begin(message);
    for (ReplicaEntry entry : entries) {
      ReplicaFormat.FORMAT.write(entry, message);
    }
    return ByteBuffer.wrap(message.toBytes());
  }

  /** Nothing of it matters. */
  private static ByteBuffer large() {
    FieldWriter message = new FieldWriter(1 << 20);
    ReplicaFormat.begin(message);
    while (message.size() <= (1 << 20) - 5) {
      ReplicaFormat.FORMAT.write(new LabelGone(1), message);
    }
    return ByteBuffer.wrap(message.toBytes());
  }

  private void receive(ByteBuffer message) {
    replica.received("a", message);
  }

  private void run() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void snapshot_ofWhichAMessageWasDropped_isNotComplete_butTheNextOneIs() {
    when(unowned.test(any())).thenReturn(true);
    receive(message(new Begin(ImmutableSet.of(S1)), new End()));
    run();
    assertTrue(replica.covers(S1));

    receive(message(new Begin(ImmutableSet.of(S1, S2))));
    IntStream.range(0, 65).forEach(i -> receive(large()));
    Runnable first = tasks.remove();
    first.run();
    tasks.remove().run(); // makes room
    receive(message(new End()));
    run();
    assertFalse(replica.covers(S1), "a change may be lost, too");
    assertFalse(replica.covers(S2));

    replica.tick();
    assertEquals(List.of(new ReplicaEntry.Again()), sent);
    receive(message(new Begin(ImmutableSet.of(S1, S2)), new End()));
    run();
    assertTrue(replica.covers(S1));
    assertTrue(replica.covers(S2));
  }
}
