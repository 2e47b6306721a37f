package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import io.malob.controller.core.CoreModule;
import io.malob.controller.module.ModuleSettings;
import io.malob.controller.network.topology.TopologyModule;
import io.malob.testing.SwitchRecorder;
import io.malob.testing.SwitchRing;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.topology.ITopologyService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.types.DatapathId;

/** As many switches as a large network has, over real TCP, with the network's modules running. */
class ManySwitchesTest {
  private static final int SWITCHES = 1_000;

  /** On a machine that is busy with other things, nothing here is about how long it takes. */
  private static final String MODULES_AND_PATIENCE =
      String.join(
          "\n",
          "floodlight.modules=" + TopologyModule.class.getName(),
          CoreModule.class.getName() + ".handshakeTimeoutMillis=60000",
          CoreModule.class.getName() + ".requestTimeoutMillis=60000",
          CoreModule.class.getName() + ".echoIntervalMillis=20000");

  private final ResourceLeakDetector.Level leakDetection = ResourceLeakDetector.getLevel();

  /** To watch each buffer would cost more than all that is done here. */
  @BeforeEach
  void watchSomeBuffersOnly() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
  }

  @AfterEach
  void watchAllBuffersAgain() {
    ResourceLeakDetector.setLevel(leakDetection);
  }

  @Test
  void thousandSwitches_connectAreServedAndLeave() throws Exception {
    assumeTrue(freeDescriptors() > 2 * SWITCHES + 100, "too few file descriptors");
    try (EmbeddedController controller =
            EmbeddedController.start(
                ModuleSettings.parse(MODULES_AND_PATIENCE)
                    .overlaidWith(EmbeddedControllerTest.FREE_PORTS));
        SwitchRing ring = new SwitchRing(SWITCHES)) {
      IOFSwitchService switches = controller.context().getServiceImpl(IOFSwitchService.class);
      SwitchRecorder recorder = new SwitchRecorder();
      switches.addOFSwitchListener(recorder);
      ring.connect(controller.openFlowPort());
      await("activated", () -> count(recorder, "activated ") == SWITCHES);
      assertEquals(SWITCHES, switches.getAllSwitchDpids().size());
      eachAnswersAnEcho(ring, switches);
      eachGetsAMessage(ring, switches);

      ILinkDiscoveryService links =
          controller.context().getServiceImpl(ILinkDiscoveryService.class);
      ITopologyService topology = controller.context().getServiceImpl(ITopologyService.class);
      await("all links", () -> links.getLinks().size() == 2 * SWITCHES);
      await(
          "one network",
          () -> topology.isInSameCluster(DatapathId.of(1), DatapathId.of(SWITCHES / 2)));

      ring.leave();
      await("removed", () -> count(recorder, "removed ") == SWITCHES);
      assertTrue(switches.getAllSwitchDpids().isEmpty());
      await("no links", () -> links.getLinks().isEmpty());
    }
  }

  private static void eachAnswersAnEcho(SwitchRing ring, IOFSwitchService switches)
      throws Exception {
    Map<DatapathId, OFEchoRequest> requests = new HashMap<>();
    List<Future<OFEchoReply>> replies = new ArrayList<>();
    for (DatapathId id : ring.ids()) {
      IOFSwitch sw = switches.getActiveSwitch(id);
      OFEchoRequest request = sw.getOFFactory().echoRequest(id.getBytes());
      requests.put(id, request);
      replies.add(sw.writeRequest(request));
    }
    int index = 0;
    for (DatapathId id : ring.ids()) {
      OFEchoReply reply = replies.get(index++).get(60, TimeUnit.SECONDS);
      assertEquals(requests.get(id).getXid(), reply.getXid());
      assertEquals(id, DatapathId.of(reply.getData()));
    }
  }

  private static void eachGetsAMessage(SwitchRing ring, IOFSwitchService switches)
      throws Exception {
    Map<DatapathId, Long> before = new HashMap<>();
    ring.ids().forEach(id -> before.put(id, ring.flowMods(id)));
    List<Future<?>> barriers = new ArrayList<>();
    for (DatapathId id : ring.ids()) {
      IOFSwitch sw = switches.getActiveSwitch(id);
      OFFactory factory = sw.getOFFactory();
      assertTrue(sw.write(factory.buildFlowAdd().setPriority(7).build()));
      barriers.add(sw.writeRequest(factory.barrierRequest()));
    }
    for (Future<?> barrier : barriers) {
      barrier.get(60, TimeUnit.SECONDS);
    }
    ring.ids().forEach(id -> assertEquals(before.get(id) + 1, ring.flowMods(id)));
  }

  private static long count(SwitchRecorder recorder, String kind) {
    return recorder.events().stream().filter(event -> event.startsWith(kind)).count();
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "no end of waiting for: " + what);
      Thread.sleep(20);
    }
  }

  private static long freeDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
        : Long.MAX_VALUE;
  }
}
