package io.malob.controller.network.web;

import io.malob.json.Json;
import io.malob.module.BaseModule;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.RouteTable;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import net.floodlightcontroller.restserver.IRestApiService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.VlanVid;

/** Shows links and hosts over HTTP, as Floodlight does. */
public final class NetworkRestModule extends BaseModule {

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IRestApiService.class, ILinkDiscoveryService.class, IDeviceService.class);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    IRestApiService rest = context.getServiceImpl(IRestApiService.class);
    ILinkDiscoveryService links = context.getServiceImpl(ILinkDiscoveryService.class);
    IDeviceService devices = context.getServiceImpl(IDeviceService.class);
    rest.addRestletRoutable(new ResourceRoutable("/wm/topology", topologyRoutes(links::getLinks)));
    rest.addRestletRoutable(
        new ResourceRoutable("/wm/device", deviceRoutes(devices::getAllDevices)));
  }

  static RouteTable topologyRoutes(Supplier<Map<Link, LinkInfo>> links) {
    return RouteTable.ignoringParameters()
        .get("links/json", call -> Reply.ok(linkRows(links.get())));
  }

  static RouteTable deviceRoutes(Supplier<Collection<? extends IDevice>> devices) {
    Resource all = call -> Reply.ok(Map.of("devices", deviceRows(devices.get())));
    return RouteTable.ignoringParameters().get("", all).get("all/json", all);
  }

  /**
   * The rows of these directed links, in order; a link in both directions starts at the smaller
   * end.
   */
  private static List<Map<String, Object>> linkRows(Map<Link, LinkInfo> links) {
    Set<Link> sorted = new TreeSet<>(links.keySet());
    return sorted.stream()
        .filter(link -> link.compareTo(reverse(link)) <= 0 || !sorted.contains(reverse(link)))
        .map(link -> linkRow(link, links.get(link), sorted.contains(reverse(link))))
        .toList();
  }

  private static Map<String, Object> linkRow(Link link, @Nullable LinkInfo info, boolean bothWays) {
    boolean isMultihop = info != null && info.getLinkType() == LinkType.MULTIHOP_LINK;
    return Json.fields(
        "src-switch", link.getSrc().toString(),
        "src-port", link.getSrcPort().getPortNumber(),
        "dst-switch", link.getDst().toString(),
        "dst-port", link.getDstPort().getPortNumber(),
        "type", isMultihop ? "external" : "internal",
        "direction", bothWays ? "bidirectional" : "unidirectional");
  }

  private static Link reverse(Link link) {
    return new Link(
        link.getDst(), link.getDstPort(), link.getSrc(), link.getSrcPort(), link.getLatency());
  }

  /** The rows of these hosts, by MAC address and VLAN; times are milliseconds since the epoch. */
  private static List<Map<String, Object>> deviceRows(Collection<? extends IDevice> devices) {
    return devices.stream()
        .sorted(Comparator.comparing(IDevice::getDeviceKey))
        .map(NetworkRestModule::deviceRow)
        .toList();
  }

  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  private static Map<String, Object> deviceRow(IDevice device) {
    return Json.fields(
        "mac", List.of(device.getMACAddressString()),
        "ipv4", Arrays.stream(device.getIPv4Addresses()).map(Object::toString).toList(),
        "ipv6", Arrays.stream(device.getIPv6Addresses()).map(Object::toString).toList(),
        "vlan", Arrays.stream(device.getVlanId()).map(NetworkRestModule::hex).toList(),
        "attachmentPoint",
            Arrays.stream(device.getAttachmentPoints()).map(NetworkRestModule::place).toList(),
        "lastSeen", device.getLastSeen().getTime());
  }

  private static String hex(VlanVid vlan) {
    return "0x" + Integer.toHexString(vlan.getVlan());
  }

  private static Map<String, Object> place(SwitchPort port) {
    return Json.fields(
        "switch", port.getNodeId().toString(),
        "port", port.getPortId().toString());
  }
}
