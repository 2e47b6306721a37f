package io.malob.controller.network.devices;

import com.google.common.collect.ImmutableList;
import java.util.Date;
import java.util.stream.Stream;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * A host: one MAC address on one VLAN (0 for none). Any thread may read it and note that the host
 * was seen; {@link DeviceTracker} alone changes the rest.
 */
final class Device implements IDevice {
  /** The max error of the time when the host was last seen. */
  private static final long COARSE_MILLIS = 1_000;

  private static final SwitchPort[] NOWHERE = {};

  private final MacAddress mac;
  private final VlanVid vlan;
  private volatile Facts facts;
  private volatile long lastSeenMillis;

  /** {@link #lastSeenMillis}, if another controller has told it; else another value. */
  private volatile long seenByPeerMillis;

  /**
   * The mutable facts.
   *
   * @param at where the host is attached, if known
   * @param before where it was attached before, if anywhere
   * @param addresses the addresses of both IP versions that it used, the latest last
   */
  record Facts(
      @Nullable SwitchPort at, @Nullable SwitchPort before, ImmutableList<IPAddress<?>> addresses) {

    boolean isAt(DatapathId switchId, OFPort port) {
      return at != null && at.getNodeId().equals(switchId) && at.getPortId().equals(port);
    }

    Facts movedTo(@Nullable SwitchPort place) {
      return new Facts(place, at == null ? before : at, addresses);
    }

    Facts withAddresses(ImmutableList<IPAddress<?>> changed) {
      return new Facts(at, before, changed);
    }
  }

  Device(MacAddress mac, VlanVid vlan, SwitchPort at, long nowMillis) {
    this.mac = mac;
    this.vlan = vlan;
    facts = new Facts(at, null, ImmutableList.of());
    lastSeenMillis = nowMillis;
  }

  /** The key of a MAC address on a VLAN (0 for none): both in one number. */
  static Long key(MacAddress mac, int vlan) {
    return mac.getLong() << 12 | vlan;
  }

  Facts facts() {
    return facts;
  }

  void setFacts(Facts changed) {
    facts = changed;
  }

  /** Notes that the host was seen; writes rarely, to avoid contention for the cache line. */
  void touch(long nowMillis) {
    if (nowMillis - lastSeenMillis >= COARSE_MILLIS) {
      lastSeenMillis = nowMillis;
    }
  }

  /** Notes that the host was seen, and that this has told something new. */
  void seen(long nowMillis) {
    lastSeenMillis = nowMillis;
  }

  /** Notes that another controller has seen the host. */
  void seenByPeer(long seenMillis) {
    lastSeenMillis = seenMillis;
    seenByPeerMillis = seenMillis;
  }

  /** Whether this controller has seen the host last, not another one. */
  boolean wasSeenHere() {
    return lastSeenMillis != seenByPeerMillis;
  }

  long lastSeenMillis() {
    return lastSeenMillis;
  }

  @Override
  public Long getDeviceKey() {
    return key(mac, vlan.getVlan());
  }

  @Override
  public MacAddress getMACAddress() {
    return mac;
  }

  @Override
  public String getMACAddressString() {
    return mac.toString();
  }

  @Override
  public VlanVid[] getVlanId() {
    return new VlanVid[] {vlan};
  }

  @Override
  public IPv4Address[] getIPv4Addresses() {
    return addresses(IPv4Address.class).toArray(IPv4Address[]::new);
  }

  @Override
  public IPv6Address[] getIPv6Addresses() {
    return addresses(IPv6Address.class).toArray(IPv6Address[]::new);
  }

  private <T> Stream<T> addresses(Class<T> ofVersion) {
    return facts.addresses.stream().filter(ofVersion::isInstance).map(ofVersion::cast);
  }

  @Override
  public SwitchPort[] getAttachmentPoints() {
    SwitchPort at = facts.at;
    return at == null ? NOWHERE : new SwitchPort[] {at};
  }

  @Override
  public SwitchPort[] getOldAP() {
    SwitchPort before = facts.before;
    return before == null ? NOWHERE : new SwitchPort[] {before};
  }

  @Override
  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  public Date getLastSeen() {
    return new Date(lastSeenMillis);
  }

  @Override
  public String toString() {
    return mac + " on VLAN " + vlan.getVlan() + " at " + facts.at + " with " + facts.addresses;
  }
}
