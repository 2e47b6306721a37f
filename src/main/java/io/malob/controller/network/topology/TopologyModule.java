package io.malob.controller.network.topology;

import io.malob.algorithm.graph.Topology;
import io.malob.controller.network.links.LinkSnapshots;
import io.malob.module.BaseModule;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.Unordered;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryListener;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link TopologySnapshot} that follows from the links. The thread of link discovery
 * makes it and calls the listeners, after the new snapshot can be read; all other methods may be
 * called by any thread. Takes part in the chain of packet-ins by name only, because others order
 * themselves by it.
 */
public final class TopologyModule extends BaseModule
    implements ITopologyService,
        TopologyView,
        ILinkDiscoveryListener,
        IOFMessageListener,
        Unordered<OFType> {
  /** The name by which other listeners order themselves. */
  public static final String NAME = "topology";

  private static final Logger log = LoggerFactory.getLogger(TopologyModule.class);

  private static final long LOG_MILLIS = 1_000;

  private final List<ITopologyListener> listeners = new CopyOnWriteArrayList<>();
  private volatile TopologySnapshot snapshot = TopologySnapshot.EMPTY;
  private Topology logged = Topology.EMPTY;
  private ILinkDiscoveryService links;
  private LinkSnapshots linkSnapshots;

  /** Called by the module loader. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public TopologyModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        ILinkDiscoveryService.class,
        LinkSnapshots.class,
        IFloodlightProviderService.class,
        IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings) {
    links = context.getServiceImpl(ILinkDiscoveryService.class);
    linkSnapshots = context.getServiceImpl(LinkSnapshots.class);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    links.addListener(this);
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, this);
    new Repetition(context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor())
        .every(LOG_MILLIS, "announcing topologies", this::logChange);
  }

  /** One line for all changes of a second: a large network comes up in hundreds of changes. */
  private void logChange() {
    Topology now = snapshot.topology();
    if (!now.equals(logged)) {
      logged = now;
      log.info("network_changed now=\"{}\"", now);
    }
  }

  @Override
  public void linkDiscoveryUpdate(List<LDUpdate> updates) {
    TopologySnapshot next = TopologySnapshot.of(linkSnapshots.current());
    if (next.isSameAs(snapshot)) {
      return;
    }
    snapshot = next;
    for (ITopologyListener listener : listeners) {
      try {
        listener.topologyChanged(updates);
      } catch (RuntimeException e) {
        log.error("topology_listener_failed listener=\"{}\"", listener, e);
      }
    }
  }

  @Override
  public TopologySnapshot current() {
    return snapshot;
  }

  @Override
  public void addListener(ITopologyListener listener) {
    listeners.add(listener);
  }

  @Override
  public boolean isAttachmentPointPort(DatapathId switchId, OFPort port) {
    return snapshot.isAttachmentPoint(switchId, port);
  }

  @Override
  public boolean isBroadcastAllowed(DatapathId switchId, OFPort port) {
    return snapshot.isBroadcastAllowed(switchId, port);
  }

  @Override
  public boolean isInSameCluster(DatapathId switchId, DatapathId switchId2) {
    return snapshot.isSamePart(switchId, switchId2);
  }

  @Override
  public Map<DatapathId, Set<Link>> getAllLinks() {
    return links.getSwitchLinks();
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    return Command.CONTINUE;
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return name.equals("linkdiscovery");
  }
}
