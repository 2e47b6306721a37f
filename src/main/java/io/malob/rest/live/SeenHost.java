package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * A host that the controller has seen, where it is attached.
 *
 * @param mac its MAC address
 * @param addresses its IPv4 addresses, sorted
 * @param switchId the switch that it is attached to
 * @param port the port there
 */
record SeenHost(String mac, List<String> addresses, String switchId, int port) {
  /** More than that are not drawn. */
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
                  texts(device.getIPv4Addresses()),
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

  private static List<String> texts(IPv4Address[] addresses) {
    List<IPv4Address> sorted = new ArrayList<>(List.of(addresses));
    sorted.sort(Comparator.naturalOrder());
    List<String> texts = new ArrayList<>();
    sorted.forEach(address -> texts.add(address.toString()));
    return texts;
  }
}
