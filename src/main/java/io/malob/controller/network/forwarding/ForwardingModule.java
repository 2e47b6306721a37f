package io.malob.controller.network.forwarding;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.controller.network.PacketMessages;
import io.malob.controller.network.PortLimiter;
import io.malob.controller.network.topology.TopologyView;
import io.malob.module.BaseModule;
import io.malob.module.IRelayService;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.module.Unordered;
import io.malob.openflow.packet.Packet;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.UpdateOperation;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;

/**
 * Forwards packets that no other listener handled, over the paths with the fewest hops; the last
 * listener of packet-ins. Settings: {@code idleTimeoutSeconds} of its rules (5), {@code
 * floodsPerSecond} for each host port (100).
 */
@Settings({"floodsPerSecond", "idleTimeoutSeconds"})
public final class ForwardingModule extends BaseModule
    implements IOFMessageListener, Unordered<OFType>, ITopologyListener {
  /** The name by which other listeners order themselves. */
  public static final String NAME = "forwarding";

  private static final Set<String> BEFORE =
      Set.of("linkdiscovery", "topology", "devicemanager", "loadbalancer");

  private Forwarder forwarder;

  /** Called by the module loader. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public ForwardingModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        ITopologyService.class,
        TopologyView.class,
        IDeviceService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    forwarder =
        new Forwarder(
            context.getServiceImpl(TopologyView.class),
            context.getServiceImpl(IDeviceService.class),
            new SwitchWriter(
                context.getServiceImpl(IOFSwitchService.class),
                context.getServiceImpl(IRelayService.class)),
            new PortLimiter(
                settings.number("floodsPerSecond", 100, 1, 1_000_000), System::nanoTime),
            settings.number("idleTimeoutSeconds", 5, 1, 0xffff));
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    context.getServiceImpl(ITopologyService.class).addListener(this);
    context.getServiceImpl(IDeviceService.class).addListener(new Moves());
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, this);
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFPacketIn packetIn) {
      forwarder.forward(
          new NodePortTuple(sw.getId(), PacketMessages.inPort(packetIn)),
          Packet.parse(packetIn.getData()));
    }
    return Command.CONTINUE;
  }

  @Override
  public void topologyChanged(List<LDUpdate> updates) {
    for (LDUpdate update : updates) {
      if (update.getOperation() == UpdateOperation.LINK_REMOVED) {
        forwarder.linkRemoved(
            new DirectedLink(
                update.getSrc(), update.getSrcPort(), update.getDst(), update.getDstPort()));
      }
    }
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return BEFORE.contains(name);
  }

  /** Deletes the rules that lead to the former location of a host. */
  private final class Moves implements IDeviceListener {
    @Override
    public void deviceMoved(IDevice device) {
      forwarder.hostMoved(device.getMACAddress());
    }

    @Override
    public void deviceAdded(IDevice device) {
      // no rules lead to it yet
    }

    @Override
    public void deviceRemoved(IDevice device) {
      // its rules expired long ago
    }

    @Override
    public void deviceIPV4AddrChanged(IDevice device) {
      // rules lead to MAC addresses
    }

    @Override
    public void deviceIPV6AddrChanged(IDevice device) {
      // rules lead to MAC addresses
    }

    @Override
    public void deviceVlanChanged(IDevice device) {
      // a device is on one VLAN always
    }

    @Override
    public String getName() {
      return NAME;
    }

    @Override
    public boolean isCallbackOrderingPrereq(String type, String name) {
      return false;
    }

    @Override
    public boolean isCallbackOrderingPostreq(String type, String name) {
      return false;
    }
  }
}
