package io.malob.rest;

import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.api.ConnectionPage;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Route;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.QueryParameters;
import io.malob.resource.Reply;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists the balancer's connections, page by page. Safe for use by several threads. */
record ConnectionResources(IBalancerService balancer) {
  /** The longest page. */
  static final int MAX_LINES = 1_000;

  private static final int USUAL_LINES = 100;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final HexFormat HEX = HexFormat.of();

  /** Two addresses of one family, then the protocol and the ports. */
  private static final Pattern CURSOR =
      Pattern.compile("([0-9a-f]{8}|[0-9a-f]{32})([0-9a-f]{8}|[0-9a-f]{32})([0-9a-f]{16})");

  /** The query parameters. */
  static final ImmutableSortedSet<String> PARAMETERS =
      ImmutableSortedSet.<String>naturalOrder()
          .addAll(ConnectionFilter.NAMES)
          .add("limit", "next")
          .build();

  /** Answers to GET. */
  Reply list(Call call) throws RejectedException {
    QueryParameters parameters = call.parameters();
    CatalogSnapshot catalog = balancer.catalog().snapshot();
    int limit = ParameterFormat.number(parameters, "limit", 1, MAX_LINES, USUAL_LINES);
    Optional<String> next = parameters.text("next");
    ConnectionPage page =
        balancer.connections(
            ConnectionFilter.of(parameters, catalog),
            next.isPresent() ? tuple(next.get()) : null,
            limit);
    Map<Integer, String> vipIds =
        catalog.vips().values().stream().collect(Collectors.toMap(Vip::number, Vip::id));
    List<?> lines =
        page.connections().stream()
            .map(each -> line(each, vipIds.get(each.vipNumber()), memberId(each, catalog)))
            .toList();
    return Reply.ok(
        Json.fields("connections", lines, "next", page.last().map(ConnectionResources::cursor)));
  }

  private static String cursor(FiveTuple tuple) {
    return HEX.formatHex(tuple.source().getBytes())
        + HEX.formatHex(tuple.destination().getBytes())
        + HEX.toHexDigits(tuple.protocolAndPorts());
  }

  private static FiveTuple tuple(String cursor) throws RejectedException {
    Matcher parts = CURSOR.matcher(cursor);
    if (!parts.matches()) {
      throw ParameterFormat.refused("next", "the value of next from the previous page", cursor);
    }
    long src = Integer.toUnsignedLong(addressKey(parts.group(1), cursor));
    long dst = Integer.toUnsignedLong(addressKey(parts.group(2), cursor));
    return new FiveTuple(src << Integer.SIZE | dst, HexFormat.fromHexDigitsToLong(parts.group(3)));
  }

  private static int addressKey(String hex, String cursor) throws RejectedException {
    int key =
        hex.length() == 8
            ? HexFormat.fromHexDigits(hex)
            : AddressKey.ofClient(
                HexFormat.fromHexDigitsToLong(hex, 0, 16),
                HexFormat.fromHexDigitsToLong(hex, 16, 32));
    if (AddressKey.isIpv6(key) != (hex.length() == 32)) { // reserved, or too many are in use
      throw ParameterFormat.refused("next", "the value of next from the previous page", cursor);
    }
    return key;
  }

  /** The id of the member; null if it has just been deleted. */
  private static @Nullable String memberId(PlacedConnection each, CatalogSnapshot catalog) {
    return catalog.membersAt(each.server().address()).stream()
        .filter(member -> member.number() == each.server().number())
        .map(Member::id)
        .findFirst()
        .orElse(null);
  }

  private static Map<String, @Nullable Object> line(
      PlacedConnection each, @Nullable String vipId, @Nullable String memberId) {
    FiveTuple request = each.request();
    boolean hasPorts = request.protocol() != Protocol.ICMP.ipNumber();
    int memberPort = each.server().port() == 0 ? request.dstPort() : each.server().port();
    Optional<Route> route = Optional.ofNullable(each.route());
    Attachment server = each.server().at();
    return Json.fields(
        "protocol", Protocol.ofIpNumber(request.protocol()),
        "client_address", request.source(),
        "client_port", hasPorts ? request.srcPort() : null,
        "client_vlan", vlan(each.client()),
        "vip_address", request.destination(),
        "port", hasPorts ? request.dstPort() : null,
        "vip_id", vipId,
        "member_id", memberId,
        "member_address", AddressKey.toAddress(each.server().address()),
        "member_port", hasPorts ? memberPort : null,
        "member_vlan", vlan(server),
        "algorithm", each.algorithm().name(),
        "state", each.phase(),
        "age_s", Json.rounded(each.ageNanos() / NANOS_PER_SECOND),
        "request_path", route.map(path -> ShownPath.of(path.request(), each.client(), server)),
        "reply_path", route.map(path -> ShownPath.of(path.reply(), server, each.client())),
        "request_label", route.map(Route::requestLabel),
        "reply_label", route.map(Route::replyLabel),
        "generation", each.generation());
  }

  /** The VLAN of a place; null if its frames are untagged. */
  private static @Nullable Integer vlan(Attachment at) {
    return at.vlan() == 0 ? null : at.vlan();
  }
}
