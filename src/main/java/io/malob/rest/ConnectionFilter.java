package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.balancer.api.PlacedConnection.Route;
import io.malob.json.RejectedException;
import io.malob.resource.QueryParameters;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Filters connections by the parameters of a request. */
final class ConnectionFilter {
  /** The parameters, the cheapest conditions first. */
  static final ImmutableSet<String> NAMES =
      ImmutableSet.of("client", "vip", "member", "port", "protocol", "state", "switch", "link");

  private static final int MAX_PORT = 65_535;

  private ConnectionFilter() {}

  /**
   * The filter for all given conditions.
   *
   * @throws RejectedException if a value is invalid, or names a VIP or member that does not exist
   */
  static Predicate<PlacedConnection> of(QueryParameters parameters, CatalogSnapshot catalog)
      throws RejectedException {
    Predicate<PlacedConnection> wanted = any -> true;
    for (String name : NAMES) {
      Optional<String> text = parameters.text(name);
      if (text.isPresent()) {
        wanted = wanted.and(condition(name, text.get(), catalog));
      }
    }
    return wanted;
  }

  private static Predicate<PlacedConnection> condition(
      String name, String text, CatalogSnapshot catalog) throws RejectedException {
    return switch (name) {
      case "client" -> client(text);
      case "vip" -> vip(text, catalog);
      case "member" -> member(text, catalog);
      case "port" -> port(text);
      case "protocol" -> protocol(text);
      case "state" -> state(text);
      case "switch" -> onSwitch(text);
      default -> overLink(text);
    };
  }

  private static Predicate<PlacedConnection> client(String text) throws RejectedException {
    Optional<MacAddress> mac = ParameterFormat.mac(text);
    if (mac.isPresent()) {
      MacAddress wantedMac = mac.get();
      return each -> each.client().mac().equals(wantedMac);
    }
    int key = AddressKey.find(ParameterFormat.hostAddress("client", text));
    return each -> each.request().srcAddress() == key;
  }

  private static Predicate<PlacedConnection> vip(String text, CatalogSnapshot catalog)
      throws RejectedException {
    @Nullable Vip vip = catalog.vips().get(text);
    if (vip != null) {
      int number = vip.number();
      return each -> each.vipNumber() == number;
    }
    int key = AddressKey.find(ParameterFormat.knownAddress("vip", text, catalog::isVipAddress));
    return each -> each.request().dstAddress() == key;
  }

  private static Predicate<PlacedConnection> member(String text, CatalogSnapshot catalog)
      throws RejectedException {
    @Nullable Member member = catalog.members().get(text);
    if (member != null) {
      int number = member.number();
      return each -> each.server().number() == number;
    }
    int key =
        AddressKey.find(
            ParameterFormat.knownAddress(
                "member", text, address -> !catalog.membersAt(address).isEmpty()));
    return each -> each.server().address() == key;
  }

  private static Predicate<PlacedConnection> port(String text) throws RejectedException {
    int port = ParameterFormat.number("port", text, 1, MAX_PORT);
    return each -> each.request().dstPort() == port;
  }

  private static Predicate<PlacedConnection> protocol(String text) throws RejectedException {
    Protocol protocol = ParameterFormat.protocol("protocol", text);
    return each -> each.request().protocol() == protocol.ipNumber();
  }

  private static Predicate<PlacedConnection> state(String text) throws RejectedException {
    Phase phase = ParameterFormat.oneOf("state", text, Phase.values());
    return each -> each.phase() == phase;
  }

  private static Predicate<PlacedConnection> onSwitch(String text) throws RejectedException {
    DatapathId switchId = ParameterFormat.switchId("switch", text);
    return each -> each.route() != null && crosses(each.route(), switchId);
  }

  private static boolean crosses(Route route, DatapathId switchId) {
    return route.request().switches().contains(switchId)
        || route.reply().switches().contains(switchId);
  }

  private static Predicate<PlacedConnection> overLink(String text) throws RejectedException {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw ParameterFormat.refused(
          "link", "a switch and the port into the link, as in 00:00:00:00:00:00:00:01/2", text);
    }
    DatapathId switchId = ParameterFormat.switchId("link", text.substring(0, slash));
    OFPort port = ParameterFormat.switchPort("link", text.substring(slash + 1));
    return each ->
        each.route() != null
            && (leaves(each.route().request(), switchId, port)
                || leaves(each.route().reply(), switchId, port));
  }

  private static boolean leaves(Path path, DatapathId switchId, OFPort port) {
    return path.links().stream()
        .anyMatch(link -> link.src().equals(switchId) && link.srcPort().equals(port));
  }
}
