package io.malob.controller.staticentries;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.json.RejectedException;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
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

  private static final Parser<MacAddress> MAC = (name, text) -> MacAddress.of(text);
  private static final Parser<IPv4Address> ADDRESS = (name, text) -> IPv4Address.of(text);
  private static final Parser<TransportPort> PORT = number(0xffff, TransportPort::of);

  private static final ImmutableSortedMap<String, MatchKind<?>> ALL = all();

  private static ImmutableSortedMap<String, MatchKind<?>> all() {
    ImmutableSortedMap.Builder<String, MatchKind<?>> all = ImmutableSortedMap.naturalOrder();
    add(all, "in_port", MatchField.IN_PORT, Values::port);
    add(all, "eth_type", MatchField.ETH_TYPE, number(0xffff, EthType::of));
    add(all, "eth_src", MatchField.ETH_SRC, MAC);
    add(all, "eth_dst", MatchField.ETH_DST, MAC);
    add(all, "eth_vlan_vid", MatchField.VLAN_VID, number(4095, OFVlanVidMatch::ofVlan));
    add(all, "ip_proto", MatchField.IP_PROTO, number(255, n -> IpProtocol.of((short) n)));
    add(all, "ipv4_src", MatchField.IPV4_SRC, ADDRESS);
    add(all, "ipv4_dst", MatchField.IPV4_DST, ADDRESS);
    add(all, "tcp_src", MatchField.TCP_SRC, PORT);
    add(all, "tcp_dst", MatchField.TCP_DST, PORT);
    add(all, "udp_src", MatchField.UDP_SRC, PORT);
    add(all, "udp_dst", MatchField.UDP_DST, PORT);
    add(all, "icmpv4_type", MatchField.ICMPV4_TYPE, number(255, n -> ICMPv4Type.of((short) n)));
    add(all, "icmpv4_code", MatchField.ICMPV4_CODE, number(255, n -> ICMPv4Code.of((short) n)));
    add(all, "arp_opcode", MatchField.ARP_OP, number(0xffff, ArpOpcode::of));
    add(all, "arp_spa", MatchField.ARP_SPA, ADDRESS);
    add(all, "arp_tpa", MatchField.ARP_TPA, ADDRESS);
    add(all, "arp_sha", MatchField.ARP_SHA, MAC);
    add(all, "arp_tha", MatchField.ARP_THA, MAC);
    return all.build();
  }

  private static <F extends OFValueType<F>> void add(
      ImmutableSortedMap.Builder<String, MatchKind<?>> all,
      String name,
      MatchField<F> field,
      Parser<F> parser) {
    all.put(name, new MatchKind<>(name, field, parser));
  }

  private static <F> Parser<F> number(int max, IntFunction<F> value) {
    return (name, text) -> value.apply(Values.number(name, text, 0, max));
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
    F value = parse(name, parts.get(0));
    builder.setMasked(field, value, mask(value, parts.get(1)));
  }

  @SuppressWarnings("unchecked") // the value has the field's type, and so has its mask
  private F mask(F value, String mask) throws RejectedException {
    try {
      if (value instanceof IPv4Address) {
        return (F) IPv4AddressWithMask.of(value + "/" + mask).getMask();
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
