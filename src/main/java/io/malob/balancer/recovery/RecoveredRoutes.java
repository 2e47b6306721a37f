package io.malob.balancer.recovery;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.admission.RecoveringConnection;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.recovery.FoundReplies.FoundReply;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.openflow.packet.EchoFrames;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Rebuilds connections from the rules that were found. They keep their paths; a path that is broken
 * or does not lead to the member is replaced. For one thread at a time.
 */
public record RecoveredRoutes(
    RecoveredLabels recoveredLabels,
    LabelTable labels,
    ConnectionRuleSender ruleSender,
    LongSupplier nanoTime) {
  /** Links are discovered one after the other, so a path may become complete a moment later. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * A rebuilt connection with its paths.
   *
   * @param isAsFound whether the rules on the switches are correct as they are
   */
  record Recovered(Connection connection, Route route, boolean isAsFound) {}

  /** Rebuilds a connection; empty while parts of it are unknown. */
  Optional<Recovered> recover(
      RecoveringConnection found,
      @Nullable FoundReply reply,
      Vip vip,
      Attachment client,
      BalancerView view) {
    @Nullable Server server = server(found, view);
    @Nullable PoolView pool = view.poolOfMember().get(found.rule().memberNumber());
    if (server == null
        || pool == null
        || !view.network().topology().switches().contains(found.at())
        || !view.network().topology().switches().contains(server.at().switchId())) {
      return Optional.empty();
    }
    Algorithm algorithm = algorithm(view.catalog(), vip, found);
    DatapathId memberSwitch = server.at().switchId();
    @Nullable LabelledPath there =
        recoveredLabels.take(found.rule().label(), found.at(), memberSwitch);
    @Nullable LabelledPath back =
        reply != null
                && reply.at().equals(memberSwitch)
                && reply.rule().generation() == found.rule().generation()
            ? recoveredLabels.take(reply.rule().label(), memberSwitch, found.at())
            : null;
    boolean areKnown = there != null && back != null;
    if (!areKnown && nanoTime.getAsLong() - found.sinceNanos() >= PATIENCE_NANOS) {
      if (pool.placer(algorithm)
              .placeOn(
                  server, Placer.Request.from(client.switchId()), view.network().searchingAtOnce())
          instanceof Placement placement) {
        there = there == null ? fresh(placement.requestPath()) : there;
        back = back == null ? fresh(placement.replyPath()) : back;
      }
    }
    if (there == null || back == null) {
      release(there);
      release(back);
      return Optional.empty();
    }
    Connection connection =
        new Connection(
            found.request(),
            vip.number(),
            algorithm,
            server,
            client,
            found.rule().generation(),
            nanoTime.getAsLong());
    @Nullable MacAddress repliesTo = reply == null ? null : reply.rule().dstMac();
    if (repliesTo != null) {
      connection.setReplyMac(repliesTo);
    }
    Route route = new Route(there, back);
    boolean isAsFound =
        areKnown
            && reply != null
            && ruleSender.leads(found.rule(), connection, route, true)
            && ruleSender.leads(reply.rule(), connection, route, false);
    return Optional.of(new Recovered(connection, route, isAsFound));
  }

  /**
   * The member with the address and port that the connection uses; null if the member is not
   * located or has another address or port.
   */
  private static @Nullable Server server(RecoveringConnection found, BalancerView view) {
    @Nullable Server server = view.servers().get(found.rule().memberNumber());
    if (server == null || leadsTo(server, found)) {
      return server;
    }
    // FTP data connections keep their destination port
    Server keepingPorts = server.keepingPorts();
    return leadsTo(keepingPorts, found) && FtpSessions.mayBeData(view.catalog(), found.request())
        ? keepingPorts
        : null;
  }

  private static boolean leadsTo(Server server, RecoveringConnection found) {
    return Connection.atMember(found.request(), server).equals(found.rule().outgoing());
  }

  private static Algorithm algorithm(CatalogSnapshot catalog, Vip vip, RecoveringConnection found) {
    Protocol protocol = Protocol.ofIpNumber(found.request().protocol()).orElse(Protocol.ICMP);
    int port =
        protocol == Protocol.ICMP
            ? EchoFrames.requestTypeTo(found.request().dstAddress())
            : found.request().dstPort();
    return catalog.algorithmFor(vip, catalog.poolOfVip(vip.id()).orElse(null), protocol, port);
  }

  /** The label of a new path; null while the label is not ready. It should be at the next call. */
  private @Nullable LabelledPath fresh(Path path) {
    LabelledPath labelled = labels.acquire(path);
    if (labelled.isReady()) {
      return labelled;
    }
    labels.release(labelled);
    return null;
  }

  /** Restores the rules of a recovered connection if its paths have changed. */
  void restoreIfChanged(Recovered connection) {
    if (!connection.isAsFound()) {
      ruleSender.restore(connection.connection(), connection.route());
    }
  }

  /** Releases the paths of a connection that was not recovered. */
  void release(Recovered connection) {
    release(connection.route().request());
    release(connection.route().reply());
  }

  private void release(@Nullable LabelledPath labelled) {
    if (labelled != null) {
      labels.release(labelled);
    }
  }
}
