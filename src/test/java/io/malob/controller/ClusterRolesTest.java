package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.module.ModuleSettings;
import io.malob.controller.module.RunningModules;
import io.malob.controller.network.devices.DeviceModule;
import io.malob.controller.network.forwarding.ForwardingModule;
import io.malob.controller.network.links.LinkDiscoveryModule;
import io.malob.controller.network.links.ProbeFrames;
import io.malob.controller.network.links.ProbeKind;
import io.malob.module.BaseModule;
import io.malob.module.IMastershipService;
import io.malob.module.Mastership;
import io.malob.module.StoreModule;
import io.malob.testing.Frames;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import io.malob.testing.SwitchRoles;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** A controller of a cluster, over real TCP; the test decides about roles. */
class ClusterRolesTest implements Mastership {
  private static final byte[] KEY = new byte[32];
  private static final MacAddress HOST = MacAddress.of("02:00:00:00:00:99");

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Map<DatapathId, RoleChannel> connections = new ConcurrentHashMap<>();
  private final SwitchRoles roles = new SwitchRoles();
  private EmbeddedController controller;
  private IOFSwitchService switches;
  private SwitchRecorder recorder;

  /** Lets the test decide. */
  private static final class DecidingModule extends BaseModule {
    private final Mastership mastership;

    DecidingModule(Mastership mastership) {
      this.mastership = mastership;
    }

    @Override
    public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
      return List.of(IMastershipService.class);
    }

    @Override
    public void startUp(FloodlightModuleContext context) {
      context.getServiceImpl(IMastershipService.class).decideBy(mastership);
    }
  }

  @BeforeEach
  void start() throws Exception {
    List<IFloodlightModule> modules = new ArrayList<>(RunningModules.onClassPath());
    modules.add(new DecidingModule(this));
    String names =
        String.join(
            ",",
            DecidingModule.class.getName(),
            LinkDiscoveryModule.class.getName(),
            DeviceModule.class.getName(),
            ForwardingModule.class.getName(),
            StoreModule.class.getName());
    controller =
        EmbeddedController.start(
            ModuleSettings.parse(
                    "floodlight.modules="
                        + names
                        + "\n"
                        + LinkDiscoveryModule.class.getName()
                        + ".probeIntervalMillis=200")
                .overlaidWith(EmbeddedControllerTest.FREE_PORTS),
            modules);
    recorder = new SwitchRecorder();
    switches = controller.context().getServiceImpl(IOFSwitchService.class);
    switches.addOFSwitchListener(recorder);
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  @Override
  public void connected(RoleChannel sw) {
    connections.put(sw.id(), sw);
    told.add("connected");
  }

  @Override
  public void granted(RoleChannel sw, long generation) {
    told.add("granted " + generation);
  }

  @Override
  public void staleClaim(RoleChannel sw, long generation) {
    told.add("stale " + generation);
  }

  @Override
  public void replaced(RoleChannel sw) {
    told.add("replaced");
  }

  @Override
  public void generationSeen(RoleChannel sw, long generation) {}

  @Override
  public void disconnected(RoleChannel sw) {
    told.add("disconnected");
  }

  @Override
  public void followProbeKey(Consumer<byte[]> follower) {
    follower.accept(KEY);
  }

  private void awaitTold(String expected) throws InterruptedException {
    assertEquals(expected, told.poll(10, TimeUnit.SECONDS));
  }

  private ScriptedSwitch connect(long number) throws Exception {
    ScriptedSwitch sw =
        new ScriptedSwitch(number, 2).roles(roles).connect(controller.openFlowPort());
    recorder.await("added " + sw.id());
    awaitTold("connected");
    return sw;
  }

  private void become(ScriptedSwitch sw, long generation) throws Exception {
    connections.get(sw.id()).requestMaster(generation);
    awaitTold("granted " + generation);
    recorder.await("activated " + sw.id());
  }

  @Test
  void newSwitch_isNotTouched_untilThisControllerIsItsMaster() throws Exception {
    try (ScriptedSwitch sw = connect(1)) {
      assertEquals(OFControllerRole.ROLE_SLAVE, roles.of(sw));
      assertFalse(switches.getSwitch(sw.id()).isActive());
      Thread.sleep(500); // more than two rounds of probes
      assertEquals(List.of(), sw.flowMods());
      assertEquals(List.of(), sw.packetOuts());

      become(sw, 9);
      assertEquals(OFControllerRole.ROLE_MASTER, roles.of(sw));
      assertEquals(9, roles.generation());
      sw.awaitCount(4, OFFlowAdd.class, rule -> rule.getPriority() == 0);
      assertTrue(switches.getSwitch(sw.id()).isActive());
    }
    awaitTold("disconnected");
  }

  @Test
  void staleClaim_leavesTheControllerASlave() throws Exception {
    Object other = new Object();
    var unused = RolesTest.claim(roles, other, 100);
    try (ScriptedSwitch sw = connect(1)) {
      assertEquals(OFControllerRole.ROLE_MASTER, roles.of(other), "it keeps its master");
      connections.get(sw.id()).requestMaster(99);
      awaitTold("stale 99");
      assertEquals(OFControllerRole.ROLE_MASTER, roles.of(other));
      become(sw, 101);
      assertEquals(OFControllerRole.ROLE_SLAVE, roles.of(other));
    }
  }

  @Test
  void formerMaster_isRejectedByTheSwitch_andStepsDown() throws Exception {
    try (ScriptedSwitch sw = connect(1)) {
      become(sw, 9);
      var unused = RolesTest.claim(roles, new Object(), 10);
      switches
          .getSwitch(sw.id())
          .write(List.of(ScriptedSwitch.FACTORY.buildFlowAdd().setTableId(TableId.of(0)).build()));
      awaitTold("replaced");
      recorder.await("deactivated " + sw.id());
      assertFalse(switches.getSwitch(sw.id()).isActive());
    }
  }

  /** The standby sends nothing, and forgets nothing when it becomes master. */
  @Test
  void slave_learnsLinksAndHostsByTheMastersPackets() throws Exception {
    ILinkDiscoveryService links = controller.context().getServiceImpl(ILinkDiscoveryService.class);
    IDeviceService devices = controller.context().getServiceImpl(IDeviceService.class);
    SwitchRoles ofSecond = new SwitchRoles();
    try (ScriptedSwitch one = connect(1);
        ScriptedSwitch two =
            new ScriptedSwitch(2, 2).roles(ofSecond).connect(controller.openFlowPort())) {
      recorder.await("added " + two.id());
      awaitTold("connected");
      probe(one, two);
      probe(two, one);
      await(() -> links.getLinks().size() == 2);

      await(
          () -> {
            one.packetIn(
                1, Frames.arpRequest(HOST, IPv4Address.of("10.0.0.9"), IPv4Address.of("10.0.0.8")));
            return devices.getAllDevices().size() == 1;
          });
      Thread.sleep(1_000); // more than the lifetime of a link
      assertEquals(2, links.getLinks().size());
      assertEquals(List.of(), one.packetOuts());
      assertEquals(List.of(), one.flowMods());

      become(one, 9);
      assertEquals(2, links.getLinks().size());
      assertEquals(1, devices.getAllDevices().size());
      one.awaitCount(1, OFPacketOut.class, any -> true);
    }
  }

  /** The master's probe from port 2 of a switch arrives at port 2 of another. */
  private static void probe(ScriptedSwitch from, ScriptedSwitch at) {
    at.packetIn(
        2,
        new ProbeFrames(KEY)
            .frame(
                ProbeKind.LLDP,
                new NodePortTuple(from.id(), OFPort.of(2)),
                MacAddress.of("02:00:00:00:00:02"),
                System.currentTimeMillis()));
  }

  private static void await(BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not in time");
      Thread.sleep(50);
    }
  }
}
