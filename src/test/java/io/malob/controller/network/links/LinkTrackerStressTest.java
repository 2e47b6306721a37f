package io.malob.controller.network.links;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.testing.Together;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.Link;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Several threads report switches, ports and probes, as in the controller, while others read. */
class LinkTrackerStressTest implements LinkTracker.Outlet {
  private static final int REPORTERS = 3;
  private static final int READERS = 2;
  private static final int EVENTS = 3_000;
  private static final int SWITCHES = 8;
  private static final List<OFPort> PORTS = List.of(OFPort.of(1), OFPort.of(2), OFPort.of(3));

  private final ExecutorService pool = Executors.newFixedThreadPool(2);
  private final Executor writer = MoreExecutors.newSequentialExecutor(pool);
  private final AtomicLong now = new AtomicLong(1_000_000);
  private final LinkTracker tracker =
      new LinkTracker(new LinkTimes(3_000, 3, 1_000), now::incrementAndGet, this);

  @Override
  public boolean probe(NodePortTuple port, ProbeKind kind) {
    return true;
  }

  @Override
  public Set<DatapathId> sendProbes() {
    return Set.of();
  }

  @Override
  public void soon(Runnable publication, long delayMillis) {
    writer.execute(publication);
  }

  @Override
  public void changed(List<LDUpdate> updates) {
    // nobody listens
  }

  @AfterEach
  void endThreads() {
    pool.shutdownNow();
  }

  @Test
  void snapshots_readWhileThreadsReportChanges_areWholeAndTheLastOneIsTrue() throws Exception {
    AtomicInteger reporting = new AtomicInteger(REPORTERS);
    Together.run(
        REPORTERS + READERS,
        thread -> {
          if (thread < REPORTERS) {
            Random random = new Random(thread);
            for (int event = 0; event < EVENTS; event++) {
              Runnable report = report(random);
              writer.execute(report);
            }
            reporting.decrementAndGet();
          } else {
            while (reporting.get() > 0) {
              assertIsWhole(tracker.current());
            }
          }
        });
    for (int id = 1; id <= SWITCHES; id++) {
      DatapathId switchId = DatapathId.of(id);
      writer.execute(() -> tracker.switchUp(switchId, PORTS));
    }
    for (int id = 1; id < SWITCHES; id++) {
      NodePortTuple from = port(id, 1);
      NodePortTuple to = port(id + 1, 2);
      writer.execute(() -> tracker.probeArrived(ProbeKind.LLDP, from, to));
    }
    awaitWriter();
    assertIsWhole(tracker.current());
    assertEquals(SWITCHES, tracker.current().switches().size());
    assertEquals(SWITCHES - 1, tracker.current().links().size());
  }

  private Runnable report(Random random) {
    NodePortTuple at = port(1 + random.nextInt(SWITCHES), 1 + random.nextInt(PORTS.size()));
    NodePortTuple from = port(1 + random.nextInt(SWITCHES), 1 + random.nextInt(PORTS.size()));
    ProbeKind kind = random.nextInt(4) == 0 ? ProbeKind.BDDP : ProbeKind.LLDP;
    return switch (random.nextInt(10)) {
      case 0 -> () -> tracker.switchUp(at.getNodeId(), PORTS);
      case 1 -> () -> tracker.switchDown(at.getNodeId());
      case 2 -> () -> tracker.portUp(at.getNodeId(), at.getPortId());
      case 3 -> () -> tracker.portDown(at.getNodeId(), at.getPortId());
      case 4 -> tracker::tick;
      default -> () -> tracker.probeArrived(kind, from, at);
    };
  }

  /** Each link is between ports that are there, and is found at both of its ends. */
  private static void assertIsWhole(LinkSnapshot snapshot) {
    assertTrue(snapshot.switches().containsAll(snapshot.ports().keySet()));
    for (NodePortTuple port : snapshot.settled()) {
      assertTrue(snapshot.ports().containsEntry(port.getNodeId(), port.getPortId()));
    }
    var bySwitch = snapshot.bySwitch();
    for (Link link : snapshot.links().keySet()) {
      assertTrue(snapshot.ports().containsEntry(link.getSrc(), link.getSrcPort()));
      assertTrue(snapshot.ports().containsEntry(link.getDst(), link.getDstPort()));
      assertTrue(bySwitch.get(link.getSrc()).contains(link));
      assertTrue(bySwitch.get(link.getDst()).contains(link));
    }
  }

  /** Twice, as the last change is published after what waits then. */
  private void awaitWriter() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      CountDownLatch done = new CountDownLatch(1);
      writer.execute(done::countDown);
      assertTrue(done.await(60, TimeUnit.SECONDS));
    }
  }

  private static NodePortTuple port(int switchId, int port) {
    return new NodePortTuple(DatapathId.of(switchId), OFPort.of(port));
  }
}
