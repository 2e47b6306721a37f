package io.malob.controller.network.forwarding;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.controller.network.PortLimiter;
import io.malob.controller.network.devices.HostVlans;
import io.malob.controller.network.topology.TopologyView;
import io.malob.module.BaseModule;
import io.malob.module.IRelayService;
import io.malob.module.NetworkEvents;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
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
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.UpdateOperation;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;

/**
 * Forwards packets that no other listener handled, over the paths with the fewest hops; the last
 * listener of packet-ins.
 */
public final class ForwardingModule extends BaseModule
    implements IOFMessageListener, Unordered<OFType>, ITopologyListener {
  private static final Setting<Integer> IDLE_TIMEOUT_SECONDS =
      Setting.number("idleTimeoutSeconds", 5, 1, 0xffff)
          .describedAs("The idle timeout of the rules of plain forwarding in seconds.");
  private static final Setting<Integer> FLOODS_PER_SECOND =
      Setting.number("floodsPerSecond", 100, 1, 1_000_000)
          .describedAs(
              "The max number of packets per second from a host port to unknown hosts and groups.");

  /** The name by which other listeners order themselves. */
  public static final String NAME = "forwarding";

  private static final Set<String> BEFORE =
      Set.of("linkdiscovery", "topology", "devicemanager", "loadbalancer");

  private Forwarder forwarder;

  /** Called by the module loader. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public ForwardingModule() {}

  @Override
  public List<Setting<?>> settings() {
    return List.of(IDLE_TIMEOUT_SECONDS, FLOODS_PER_SECOND);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        ITopologyService.class,
        TopologyView.class,
        IDeviceService.class,
        HostVlans.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    forwarder =
        new Forwarder(
            context.getServiceImpl(TopologyView.class),
            context.getServiceImpl(IDeviceService.class),
            context.getServiceImpl(HostVlans.class),
            new SwitchWriter(
                context.getServiceImpl(IOFSwitchService.class),
                context.getServiceImpl(IRelayService.class)),
            new PortLimiter(settings.get(FLOODS_PER_SECOND), System::nanoTime),
            new RouteCookies(),
            settings.get(IDLE_TIMEOUT_SECONDS));
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    context.getServiceImpl(ITopologyService.class).addListener(this);
    context.getServiceImpl(IDeviceService.class).addListener(new NetworkEvents(NAME, new Moves()));
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, this);
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFPacketIn packetIn) {
      forwarder.forward(
          new NodePortTuple(sw.getId(), packetIn.getMatch().get(MatchField.IN_PORT)),
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
  private final class Moves implements NetworkEvents.Follower {
    @Override
    public void hostMoved(IDevice device) {
      forwarder.hostMoved(device.getMACAddress());
    }
  }
}
