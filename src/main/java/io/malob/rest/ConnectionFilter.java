package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.AddressText;
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
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Filters connections by the parameters of a request. */
final class ConnectionFilter {
  /** The parameters. */
  static final ImmutableSet<String> NAMES =
      ImmutableSet.of("vip", "member", "client", "port", "protocol", "state", "switch", "link");

  private static final int MAX_PORT = 65_535;

  private final QueryParameters parameters;
  private final CatalogSnapshot catalog;
  private Predicate<PlacedConnection> wanted = any -> true;

  private ConnectionFilter(QueryParameters parameters, CatalogSnapshot catalog) {
    this.parameters = parameters;
    this.catalog = catalog;
  }

  /** Parses a value, and returns the filter for it. */
  private interface Condition {
    Predicate<PlacedConnection> of(String text) throws RejectedException;
  }

  /**
   * The filter for all given conditions.
   *
   * @throws RejectedException if a value is invalid, or names a VIP or member that does not exist
   */
  static Predicate<PlacedConnection> of(QueryParameters parameters, CatalogSnapshot catalog)
      throws RejectedException {
    ConnectionFilter filter = new ConnectionFilter(parameters, catalog);
    // the cheapest first
    filter.add("client", filter::client);
    filter.add("vip", filter::vip);
    filter.add("member", filter::member);
    filter.add("port", filter::port);
    filter.add("protocol", filter::protocol);
    filter.add("state", filter::state);
    filter.add("switch", filter::onSwitch);
    filter.add("link", filter::overLink);
    return filter.wanted;
  }

  private void add(String name, Condition condition) throws RejectedException {
    Optional<String> text = parameters.text(name);
    if (text.isPresent()) {
      wanted = wanted.and(condition.of(text.get()));
    }
  }

  private Predicate<PlacedConnection> client(String text) throws RejectedException {
    Optional<MacAddress> mac = ParameterFormat.mac(text);
    if (mac.isPresent()) {
      MacAddress wantedMac = mac.get();
      return each -> each.client().mac().equals(wantedMac);
    }
    int key = AddressKey.find(ParameterFormat.hostAddress("client", text));
    return each -> each.request().srcAddress() == key;
  }

  private Predicate<PlacedConnection> vip(String text) throws RejectedException {
    @Nullable Vip vip = catalog.vips().get(text);
    if (vip != null) {
      int number = vip.number();
      return each -> each.vipNumber() == number;
    }
    int key = knownAddress("vip", text, catalog::isVipAddress);
    return each -> each.request().dstAddress() == key;
  }

  private Predicate<PlacedConnection> member(String text) throws RejectedException {
    @Nullable Member member = catalog.members().get(text);
    if (member != null) {
      int number = member.number();
      return each -> each.server().number() == number;
    }
    int key = knownAddress("member", text, candidate -> !catalog.membersAt(candidate).isEmpty());
    return each -> each.server().address() == key;
  }

  private static int knownAddress(String name, String text, Predicate<IPAddress<?>> isKnown)
      throws RejectedException {
    return AddressText.parse(text)
        .filter(isKnown)
        .map(AddressKey::find)
        .orElseThrow(
            () ->
                RejectedException.notFound(
                    name, "no " + name + " has the id or the address " + text));
  }

  private Predicate<PlacedConnection> port(String text) throws RejectedException {
    int port = (int) ParameterFormat.number("port", text, 1, MAX_PORT);
    return each -> each.request().dstPort() == port;
  }

  private Predicate<PlacedConnection> protocol(String text) throws RejectedException {
    Protocol protocol = ParameterFormat.protocol("protocol", text);
    return each -> each.request().protocol() == protocol.ipNumber();
  }

  private Predicate<PlacedConnection> state(String text) throws RejectedException {
    Phase phase = ParameterFormat.oneOf("state", text, Phase.values());
    return each -> each.phase() == phase;
  }

  private Predicate<PlacedConnection> onSwitch(String text) throws RejectedException {
    DatapathId switchId = ParameterFormat.switchId("switch", text);
    return each -> each.route() != null && crosses(each.route(), switchId);
  }

  private static boolean crosses(Route route, DatapathId switchId) {
    return route.request().switches().contains(switchId)
        || route.reply().switches().contains(switchId);
  }

  private Predicate<PlacedConnection> overLink(String text) throws RejectedException {
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
