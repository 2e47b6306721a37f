package io.malob.rest.live;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.module.AttachedHosts;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import net.floodlightcontroller.devicemanager.IDevice;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A host that the controller has seen, with its location.
 *
 * @param mac its MAC address
 * @param addresses its IP addresses, sorted
 * @param switchId the switch that it is attached to
 * @param port the port there
 */
record SeenHost(
    String mac,
    List<IPAddress<?>> addresses,
    @JsonProperty("switch") DatapathId switchId,
    long port) {
  /** The max number of shown hosts. */
  static final int MAX = 2_000;

  /** The attached ones of these, the smallest MAC addresses first. */
  static ImmutableList<SeenHost> of(Collection<? extends IDevice> devices) {
    return devices.stream()
        .flatMap(device -> AttachedHosts.attachmentOf(device).map(at -> of(device, at)).stream())
        .limit(MAX)
        .sorted(Comparator.comparing(SeenHost::mac))
        .collect(ImmutableList.toImmutableList());
  }

  private static SeenHost of(IDevice device, Attachment at) {
    return new SeenHost(
        at.mac().toString(),
        AttachedHosts.addressesOf(device),
        at.switchId(),
        Integer.toUnsignedLong(at.port().getPortNumber()));
  }
}
