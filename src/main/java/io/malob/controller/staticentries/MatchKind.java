package io.malob.controller.staticentries;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.json.RejectedException;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Code;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv4AddressWithMask;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * A field of packets, by Floodlight's name: how its value is read, matched and set. Pure.
 *
 * @param name Floodlight's name of it
 * @param field the field of OpenFlow
 * @param parser reads a value
 */
record MatchKind<F extends OFValueType<F>>(String name, MatchField<F> field, Parser<F> parser) {

  /** Reads a value of a field. */
  interface Parser<F> {
    /** The value of this text; an IllegalArgumentException also reports an error. */
    F parse(String name, String text) throws RejectedException;
  }

  private static final ImmutableSortedMap<String, MatchKind<?>> ALL = all();

  private static ImmutableSortedMap<String, MatchKind<?>> all() {
    ImmutableSortedMap.Builder<String, MatchKind<?>> all = ImmutableSortedMap.naturalOrder();
    add(all, "in_port", MatchField.IN_PORT, Values::port);
    add(all, "eth_type", MatchField.ETH_TYPE, (n, t) -> EthType.of(Values.number(n, t, 0, 0xffff)));
    add(all, "eth_src", MatchField.ETH_SRC, (n, t) -> MacAddress.of(t));
    add(all, "eth_dst", MatchField.ETH_DST, (n, t) -> MacAddress.of(t));
    add(
        all,
        "eth_vlan_vid",
        MatchField.VLAN_VID,
        (n, t) -> OFVlanVidMatch.ofVlan(Values.number(n, t, 0, 4095)));
    add(
        all,
        "ip_proto",
        MatchField.IP_PROTO,
        (n, t) -> IpProtocol.of((short) Values.number(n, t, 0, 255)));
    add(all, "ipv4_src", MatchField.IPV4_SRC, (n, t) -> IPv4Address.of(t));
    add(all, "ipv4_dst", MatchField.IPV4_DST, (n, t) -> IPv4Address.of(t));
    add(all, "tcp_src", MatchField.TCP_SRC, MatchKind::transportPort);
    add(all, "tcp_dst", MatchField.TCP_DST, MatchKind::transportPort);
    add(all, "udp_src", MatchField.UDP_SRC, MatchKind::transportPort);
    add(all, "udp_dst", MatchField.UDP_DST, MatchKind::transportPort);
    add(
        all,
        "icmpv4_type",
        MatchField.ICMPV4_TYPE,
        (n, t) -> ICMPv4Type.of((short) Values.number(n, t, 0, 255)));
    add(
        all,
        "icmpv4_code",
        MatchField.ICMPV4_CODE,
        (n, t) -> ICMPv4Code.of((short) Values.number(n, t, 0, 255)));
    add(
        all,
        "arp_opcode",
        MatchField.ARP_OP,
        (n, t) -> ArpOpcode.of(Values.number(n, t, 0, 0xffff)));
    add(all, "arp_spa", MatchField.ARP_SPA, (n, t) -> IPv4Address.of(t));
    add(all, "arp_tpa", MatchField.ARP_TPA, (n, t) -> IPv4Address.of(t));
    add(all, "arp_sha", MatchField.ARP_SHA, (n, t) -> MacAddress.of(t));
    add(all, "arp_tha", MatchField.ARP_THA, (n, t) -> MacAddress.of(t));
    return all.build();
  }

  private static <F extends OFValueType<F>> void add(
      ImmutableSortedMap.Builder<String, MatchKind<?>> all,
      String name,
      MatchField<F> field,
      Parser<F> parser) {
    all.put(name, new MatchKind<>(name, field, parser));
  }

  private static TransportPort transportPort(String name, String text) throws RejectedException {
    return TransportPort.of(Values.number(name, text, 0, 65535));
  }

  /** Whether there is a field of this name. */
  static boolean exists(String name) {
    return ALL.containsKey(name);
  }

  /** The match of these fields; other fields are ignored. */
  static Match match(OFFactory factory, Map<String, String> fields) throws RejectedException {
    Match.Builder builder = factory.buildMatch();
    for (MatchKind<?> kind : ALL.values()) {
      String value = fields.get(kind.name());
      if (value != null) {
        kind.addTo(builder, value);
      }
    }
    Match match = builder.build();
    for (MatchKind<?> kind : ALL.values()) {
      if (fields.containsKey(kind.name()) && !kind.field().arePrerequisitesOK(match)) {
        throw RejectedException.invalid(
            kind.name(),
            kind.name()
                + " requires an eth_type, and for some fields an ip_proto, that has this field");
      }
    }
    return match;
  }

  private void addTo(Match.Builder builder, String text) throws RejectedException {
    if (!text.contains("/")) {
      builder.setExact(field, parse(name, text));
      return;
    }
    List<String> parts = Splitter.on('/').limit(2).trimResults().splitToList(text);
    builder.setMasked(field, parse(name, parts.get(0)), mask(text, parts.get(1)));
  }

  @SuppressWarnings("unchecked") // the value has the field's type, and so has its mask
  private F mask(String text, String mask) throws RejectedException {
    F value = parse(name, Splitter.on('/').splitToList(text).get(0).trim());
    try {
      if (value instanceof IPv4Address) {
        return (F) IPv4AddressWithMask.of(text.replace(" ", "")).getMask();
      } else if (value instanceof MacAddress) {
        return (F) MacAddress.of(mask);
      }
    } catch (IllegalArgumentException e) {
      throw RejectedException.invalid(name, "\"" + mask + "\" is not a mask for " + name);
    }
    throw RejectedException.invalid(name, name + " cannot be masked");
  }

  /**
   * Sets a field.
   *
   * @param place the field of the entry that says so
   */
  static OFOxm<?> oxm(OFFactory factory, String place, String name, String text)
      throws RejectedException {
    MatchKind<?> kind = ALL.get(name);
    if (kind == null || name.equals("in_port")) {
      throw RejectedException.invalid(place, "\"" + name + "\" is not a field that can be set");
    }
    return kind.oxm(factory, place, text);
  }

  private OFOxm<?> oxm(OFFactory factory, String place, String text) throws RejectedException {
    return factory.oxms().fromValue(parse(place, text), field);
  }

  private F parse(String place, String text) throws RejectedException {
    try {
      return parser.parse(place, text.trim());
    } catch (IllegalArgumentException e) {
      throw RejectedException.invalid(place, "\"" + text.trim() + "\" is not a value for " + name);
    }
  }
}
