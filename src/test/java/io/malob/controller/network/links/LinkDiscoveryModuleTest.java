package io.malob.controller.network.links;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.controller.guard.RefusalCounts;
import io.malob.testing.Stub;
import io.malob.testing.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** How probes of links leave: switches 1 and 2, of which the second reads nothing; 3 is away. */
class LinkDiscoveryModuleTest {
  private final LinkDiscoveryModule module = new LinkDiscoveryModule(() -> 1_000_000);
  private final List<List<OFPort>> writes = new ArrayList<>();
  private final IOFSwitch reading = sw(1, true);
  private final IOFSwitch full = sw(2, false);

  @BeforeEach
  void init() throws FloodlightModuleException {
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(
        IFloodlightProviderService.class, Stub.of(IFloodlightProviderService.class).make());
    context.addService(
        IOFSwitchService.class,
        Stub.of(IOFSwitchService.class).on("getActiveSwitch", with -> active(with[0])).make());
    context.addService(IThreadPoolService.class, Stub.of(IThreadPoolService.class).make());
    context.addService(RefusalCounts.class, new RefusalCounts());
    module.init(context);
  }

  private Object active(Object id) {
    return id.equals(DatapathId.of(1)) ? reading : id.equals(DatapathId.of(2)) ? full : null;
  }

  @SuppressWarnings("unchecked")
  private IOFSwitch sw(long id, boolean reads) {
    return Stub.of(IOFSwitch.class)
        .on("getId", with -> DatapathId.of(id))
        .on("getOFFactory", with -> OFFactories.getFactory(OFVersion.OF_13))
        .on("getPort", with -> null)
        .on("write", with -> write(ImmutableList.copyOf((Iterable<OFMessage>) with[0]), reads))
        .make();
  }

  private List<OFMessage> write(List<OFMessage> messages, boolean reads) {
    writes.add(
        messages.stream()
            .map(message -> (OFPacketOut) Wire.readBack(message))
            .map(out -> ((OFActionOutput) out.getActions().get(0)).getPort())
            .toList());
    return reads ? List.of() : messages;
  }

  @Test
  void probes_ofOneSwitch_leaveInOneWrite() {
    for (int port = 1; port <= 3; port++) {
      assertTrue(module.probe(at(1, port), ProbeKind.LLDP));
      assertTrue(module.probe(at(2, port), ProbeKind.LLDP));
    }
    assertTrue(module.probe(at(1, 3), ProbeKind.BDDP));
    assertFalse(module.probe(at(3, 1), ProbeKind.LLDP));
    assertEquals(List.of(), writes);
    assertEquals(Set.of(DatapathId.of(2)), module.sendProbes());
    assertEquals(List.of(ports(1, 2, 3, 3), ports(1, 2, 3)), writes);
    assertEquals(Set.of(), module.sendProbes());
    assertEquals(2, writes.size());
  }

  private static NodePortTuple at(long switchId, int port) {
    return new NodePortTuple(DatapathId.of(switchId), OFPort.of(port));
  }

  private static List<OFPort> ports(Integer... numbers) {
    return List.of(numbers).stream().map(OFPort::of).toList();
  }
}
