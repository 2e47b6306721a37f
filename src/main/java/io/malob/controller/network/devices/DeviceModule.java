package io.malob.controller.network.devices;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.controller.network.PortLimiter;
import io.malob.controller.network.SteadyClock;
import io.malob.controller.network.topology.TopologySnapshot;
import io.malob.controller.network.topology.TopologyView;
import io.malob.module.BaseModule;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.StandbyListener;
import io.malob.module.Unordered;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers the hosts that send packets, and their IPv4 and IPv6 addresses. A packet of a known
 * host costs one lookup on the thread that received it. New hosts are learned one after the other
 * on the shared pool, where the listeners are called, too. Packets whose source no host may use (a
 * group address, zero, a path label) go no further. Hosts beyond the max rate of new hosts are
 * ignored: they send further packets later.
 */
public final class DeviceModule extends BaseModule
    implements IDeviceService, HostVlans, IOFMessageListener, StandbyListener, Unordered<OFType> {
  private static final Setting<Integer> MAX_DEVICES =
      Setting.number("maxDevices", 100_000, 1, 10_000_000)
          .describedAs("The max number of known hosts.")
          .formerly("mostDevices");
  private static final Setting<Integer> DEVICE_LIFE_SECONDS =
      Setting.number("deviceLifeSeconds", 3_600, 1, 31_536_000)
          .describedAs("The time in seconds until a silent host is forgotten.");
  private static final Setting<Integer> LEARNT_PER_SECOND =
      Setting.number("learntPerSecond", 1_000, 1, 1_000_000)
          .describedAs(
              "The max number of new hosts per second and port, twice as many in a burst.");

  /** The name by which other listeners order themselves. */
  public static final String NAME = "devicemanager";

  private static final Logger log = LoggerFactory.getLogger(DeviceModule.class);
  private static final long GROUP_BIT = 0x01_00_00_00_00_00L;
  private static final long AGEING_MILLIS = 10_000;
  private static final long TELLING_MILLIS = 50;
  private static final long LATE_MILLIS = 1_000;
  private static final long REFRESH_MILLIS = 60_000;
  private static final long REPORT_MILLIS = 60_000;

  private final DeviceTable table = new DeviceTable();
  private final DeviceListeners listeners = new DeviceListeners();
  private final LongSupplier millis;
  private final LongAdder refused = new LongAdder();
  private long refusedAtReport;
  private long unlearntAtReport;
  private TopologyView topology;
  private DeviceTracker tracker;
  private PortLimiter learning;
  private Executor writer;
  private @Nullable PeerHosts peerHosts;

  /** Called by the module loader. */
  public DeviceModule() {
    this(SteadyClock.millis());
  }

  /** With a clock of milliseconds since the epoch. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public DeviceModule(LongSupplier millis) {
    this.millis = millis;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(MAX_DEVICES, DEVICE_LIFE_SECONDS, LEARNT_PER_SECOND);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        ITopologyService.class,
        TopologyView.class,
        IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    DeviceLimits limits =
        new DeviceLimits(settings.get(MAX_DEVICES), 1_000L * settings.get(DEVICE_LIFE_SECONDS));
    learning =
        new PortLimiter(
            settings.get(LEARNT_PER_SECOND),
            () -> TimeUnit.MILLISECONDS.toNanos(millis.getAsLong()));
    topology = context.getServiceImpl(TopologyView.class);
    tracker =
        new DeviceTracker(
            table,
            limits,
            millis,
            (switchId, port) -> topology.current().isAttachmentPoint(switchId, port),
            this::changed);
    writer =
        MoreExecutors.newSequentialExecutor(
            context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor());
    @Nullable IPeerService peers = context.getServiceImpl(IPeerService.class);
    if (peers != null) {
      PeerHosts hosts = new PeerHosts(peers, table, tracker, limits, millis, writer);
      peers.listen(PeerTopic.HOSTS, hosts);
      peerHosts = hosts;
    }
  }

  private void changed(DeviceTracker.Change change, Device device) {
    listeners.changed(change, device);
    if (peerHosts != null) {
      peerHosts.changed(change, device);
    }
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    ScheduledExecutorService pool =
        context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    context
        .getServiceImpl(ITopologyService.class)
        .addListener(updates -> writer.execute(tracker::topologyChanged));
    Repetition repetition = new Repetition(pool);
    repetition.every(AGEING_MILLIS, "removing silent hosts", writer, tracker::removeSilent);
    @Nullable PeerHosts hosts = peerHosts;
    if (hosts != null) {
      // after the same event has removed hosts
      context
          .getServiceImpl(ITopologyService.class)
          .addListener(updates -> writer.execute(hosts::topologyChanged));
      repetition.every(TELLING_MILLIS, "telling of changed hosts", writer, hosts::publishChanges);
      repetition.every(LATE_MILLIS, "telling of all hosts", writer, hosts::publishLate);
      repetition.every(REFRESH_MILLIS, "telling of seen hosts", writer, hosts::refresh);
      repetition.every(AGEING_MILLIS, "forgetting told hosts", writer, hosts::removeSilent);
    }
    repetition.every(REPORT_MILLIS, "logging refused packets", writer, this::reportRefused);
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, this);
  }

  private void reportRefused() {
    reportUnlearnt();
    long now = refused.sum();
    if (now != refusedAtReport) {
      log.warn(
          "packets_refused count={} - their source address is a path label or cannot belong to a"
              + " host",
          now - refusedAtReport);
      refusedAtReport = now;
    }
  }

  private void reportUnlearnt() {
    long now = learning.refused();
    if (now != unlearntAtReport) {
      log.warn(
          "new_hosts_ignored packets={} - a port has more new hosts than learntPerSecond",
          now - unlearntAtReport);
      unlearntAtReport = now;
    }
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (!(message instanceof OFPacketIn packetIn)) {
      return Command.CONTINUE;
    }
    OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    Packet packet = Packet.parse(packetIn.getData());
    if (!Label.isLabel(packet.dstMac())) {
      return receive(sw.getId(), port, packet);
    }
    // its source is a number, or a host elsewhere
    boolean isCopy =
        !hasFollowedLabel(packetIn)
            && HostPlaces.isCopyIfLabelled(topology.current(), new NodePortTuple(sw.getId(), port));
    return isCopy ? Command.STOP : Command.CONTINUE;
  }

  /**
   * Whether a labelled packet comes from the end of its path, where it lacks a rule of its host.
   */
  private static boolean hasFollowedLabel(OFPacketIn packetIn) {
    return packetIn.getTableId().equals(FlowLayout.HOSTS)
        || Cookie.is(packetIn.getCookie(), CookieKind.LABEL);
  }

  private Command receive(DatapathId switchId, OFPort port, Packet packet) {
    if (packet.kind() == Packet.Kind.MALFORMED) {
      return Command.CONTINUE; // the module that handles it counts it
    }
    MacAddress mac = packet.srcMac();
    if (!isHost(mac)) {
      refused.increment();
      return Command.STOP;
    }
    IPAddress<?> claimed = claimed(packet, mac);
    @Nullable Device device = table.get(Device.key(mac, packet.vlan()));
    if (device != null && isNothingNew(device, switchId, port, claimed)) {
      device.touch(millis.getAsLong());
      return Command.CONTINUE; // at a host port: not a copy
    }
    TopologySnapshot network = topology.current();
    NodePortTuple at = new NodePortTuple(switchId, port);
    HostPlaces.of(network, at, packet)
        .ifPresent(place -> learn(place, device, mac, packet.vlan(), claimed));
    boolean isCopy =
        HostPlaces.isCopy(
            network, at, packet, host -> table.get(Device.key(host, packet.vlan())) != null);
    return isCopy ? Command.STOP : Command.CONTINUE;
  }

  /** Whether it may be the source of a frame: it is no group address, not zero, no path label. */
  private static boolean isHost(MacAddress mac) {
    long bits = mac.getLong();
    return bits != 0 && (bits & GROUP_BIT) == 0 && !Label.isLabel(mac);
  }

  private void learn(
      HostPlaces.Place place,
      @Nullable Device device,
      MacAddress mac,
      int vlan,
      IPAddress<?> claimed) {
    DatapathId switchId = place.at().getNodeId();
    OFPort port = place.at().getPortId();
    if (device == null
        || place.isCertain()
        || device.facts().at() == null
        || (device.facts().isAt(switchId, port)
            && !isNothingNew(device, switchId, port, claimed))) {
      Sighting sighting = new Sighting(mac, vlan, claimed, switchId, port, place.isCertain());
      if (learning.allows(place.at())) {
        writer.execute(() -> tracker.seen(sighting));
      }
    } else {
      device.touch(millis.getAsLong());
    }
  }

  private static boolean isNothingNew(
      Device device, DatapathId switchId, OFPort port, IPAddress<?> claimed) {
    return device.facts().isAt(switchId, port)
        && (claimed.isUnspecified() || DeviceTracker.isRecent(device, claimed));
  }

  /** Hosts of several links may have the same link-local address, and no VIP or member has one. */
  private static IPAddress<?> claimed(Packet packet, MacAddress mac) {
    return NeighbourMessage.of(packet)
        .filter(message -> message.mac().equals(mac))
        .<IPAddress<?>>map(NeighbourMessage::claimed)
        .filter(address -> !(address instanceof IPv6Address && address.isLinkLocal()))
        .orElse(IPv4Address.NONE);
  }

  /** How many packets came from MAC addresses that no host may use. */
  public long refusedPackets() {
    return refused.sum();
  }

  @Override
  public @Nullable IDevice getDevice(Long key) {
    return table.get(key);
  }

  @Override
  public @Nullable IDevice findDevice(
      MacAddress mac,
      @Nullable VlanVid vlan,
      IPv4Address ipv4,
      IPv6Address ipv6,
      @Nullable DatapathId switchId,
      @Nullable OFPort port) {
    DeviceQuery query = new DeviceQuery(mac, vlan, ipv4, ipv6, switchId, port);
    if (query.isUnbounded()) {
      throw new IllegalArgumentException("a device is found by its MAC or IP address");
    }
    Iterator<Device> found = query.in(table);
    return found.hasNext() ? found.next() : null;
  }

  @Override
  public boolean mayHave(DatapathId switchId, OFPort port, int vlan) {
    return table.mayHave(new NodePortTuple(switchId, port), VlanVid.ofVlan(vlan));
  }

  @Override
  public Collection<? extends IDevice> getAllDevices() {
    return table.all();
  }

  @Override
  public Iterator<? extends IDevice> queryDevices(
      MacAddress mac,
      @Nullable VlanVid vlan,
      IPv4Address ipv4,
      IPv6Address ipv6,
      @Nullable DatapathId switchId,
      @Nullable OFPort port) {
    return new DeviceQuery(mac, vlan, ipv4, ipv6, switchId, port).in(table);
  }

  @Override
  public void addListener(IDeviceListener listener) {
    listeners.add(listener);
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return name.equals("linkdiscovery") || name.equals("topology");
  }
}
