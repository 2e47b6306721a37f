package io.malob.rest;

import com.google.common.collect.ImmutableSortedSet;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.AddressNeeded;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.RejectedException;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.packet.EchoFrames;
import io.malob.resource.Call;
import io.malob.resource.QueryParameters;
import io.malob.resource.Reply;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Shows the choice for a new connection, with reasons. Changes nothing. Safe for use by several
 * threads.
 */
record ExplanationResources(IBalancerService balancer, IMonitorService monitor) {
  /** The query parameters. */
  static final ImmutableSortedSet<String> PARAMETERS =
      ImmutableSortedSet.of("vip", "client", "port", "protocol", "client_port");

  private static final int MAX_PORT = 65_535;
  private static final int MAX_ICMP_TYPE = 255;

  /** Answers to GET. */
  Reply explain(Call call) throws RejectedException {
    QueryParameters parameters = call.parameters();
    String vipText = parameters.required("vip");
    String client = parameters.required("client");
    CatalogSnapshot catalog = balancer.catalog().snapshot();
    @Nullable Vip vip = catalog.vips().get(vipText);
    IPAddress<?> address =
        vip == null
            ? ParameterFormat.knownAddress("vip", vipText, catalog::isVipAddress)
            : vip.address();
    Protocol protocol = protocol(parameters, vip);
    int port = port(parameters, vip, address.getIpVersion(), protocol);
    ExplainedConnection explained =
        explained(client, address, protocol, port, clientPort(parameters))
            .orElseThrow(
                () ->
                    RejectedException.notFound(
                        "client", "no known client has the address " + client));
    if (explained.outcome() instanceof AddressNeeded needed) {
      throw addressNeeded(client, needed.by());
    }
    ShownExplanation.Question question = new ShownExplanation.Question(address, protocol, port);
    return Reply.ok(
        new ShownExplanation(question, new ShownLinks(balancer, monitor), monitor).of(explained));
  }

  private Optional<ExplainedConnection> explained(
      String client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort)
      throws RejectedException {
    Optional<MacAddress> mac = ParameterFormat.mac(client);
    if (mac.isPresent()) {
      return balancer.explain(mac.get(), vip, protocol, port, clientPort);
    }
    IPAddress<?> address = ParameterFormat.hostAddress("client", client);
    if (address.getIpVersion() != vip.getIpVersion()) {
      throw RejectedException.unprocessable(
          "client",
          String.format(
              "client must have an %s address, as the VIP has, not %s",
              vip.getIpVersion(), address));
    }
    return balancer.explain(address, vip, protocol, port, clientPort);
  }

  private static RejectedException addressNeeded(String client, NeedsAddress by) {
    String what =
        switch (by) {
          case ALLOWED_SOURCES -> "allowed_sources of the VIP";
          case SESSION_PERSISTENCE -> "session_persistence of the pool";
          case FTP_CONTROL -> "the client's FTP control connection";
          case BUCKETS -> "the bucket of the VIP";
        };
    return RejectedException.unprocessable(
        "client",
        what
            + " depends on the client's address, which is not known for "
            + client
            + "; ping a host other than a VIP from this client, and try again");
  }

  private static Protocol protocol(QueryParameters parameters, @Nullable Vip vip)
      throws RejectedException {
    Optional<String> given = parameters.text("protocol");
    if (given.isPresent()) {
      return ParameterFormat.protocol("protocol", given.get());
    }
    @Nullable Protocol ofVip = vip == null ? null : vip.protocol();
    return ofVip == null ? Protocol.TCP : ofVip;
  }

  private static OptionalInt clientPort(QueryParameters parameters) throws RejectedException {
    Optional<String> given = parameters.text("client_port");
    return given.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(ParameterFormat.number("client_port", given.get(), 1, MAX_PORT));
  }

  /** The given port, or else the VIP's; for ICMP, echo requests. */
  private static int port(
      QueryParameters parameters, @Nullable Vip vip, IPVersion family, Protocol protocol)
      throws RejectedException {
    Optional<String> given = parameters.text("port");
    boolean isPing = protocol == Protocol.ICMP;
    if (given.isPresent()) {
      return ParameterFormat.number(
          "port", given.get(), isPing ? 0 : 1, isPing ? MAX_ICMP_TYPE : MAX_PORT);
    }
    @Nullable Integer ofVip = vip == null ? null : vip.port();
    if (ofVip == null && !isPing) {
      throw RejectedException.invalid(
          "port", "the parameter port is required, because the VIP accepts several ports");
    }
    int echo =
        family == IPVersion.IPv6 ? EchoFrames.ICMPV6_ECHO_REQUEST : EchoFrames.ICMP_ECHO_REQUEST;
    return ofVip == null ? echo : ofVip;
  }
}
