package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import io.malob.module.AttachedHosts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A host that the controller has seen, with its location.
 *
 * @param mac its MAC address
 * @param addresses its IP addresses, sorted
 * @param switchId the switch that it is attached to
 * @param port the port there
 */
record SeenHost(String mac, List<String> addresses, String switchId, int port) {
  /** The max number of shown hosts. */
  static final int MAX = 2_000;

  /** The attached ones of these, the smallest MAC addresses first. */
  static ImmutableList<SeenHost> of(Collection<? extends IDevice> devices) {
    List<SeenHost> hosts = new ArrayList<>();
    for (IDevice device : devices) {
      if (hosts.size() == MAX) {
        break;
      }
      @Nullable SwitchPort[] places = device.getAttachmentPoints();
      for (SwitchPort place : places) {
        if (place != null) {
          hosts.add(
              new SeenHost(
                  device.getMACAddressString(),
                  AttachedHosts.addressesOf(device).stream()
                      .map(IPAddress::toString)
                      .collect(Collectors.toList()),
                  place.getNodeId().toString(),
                  place.getPortId().getPortNumber()));
          break;
        }
      }
    }
    hosts.sort(Comparator.comparing(SeenHost::mac));
    return ImmutableList.copyOf(hosts);
  }

  /** As a JSON object. */
  Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("mac", mac);
    shown.put("addresses", addresses);
    shown.put("switch", switchId);
    shown.put("port", port);
    return shown;
  }
}
