package io.malob.balancer;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.replica.Replica;
import io.malob.balancer.replica.ReplicaPublisher;
import io.malob.balancer.replica.ReplicaTables;
import io.malob.module.PeerTopic;
import io.malob.openflow.label.LabelledPath;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The connections of a cluster's other controllers; nothing without a cluster. */
final class Clustered {
  private final @Nullable ReplicaPublisher publisher;
  private final @Nullable Replica replica;

  /** Lets the other controllers know this one's connections, and this one theirs. */
  Clustered(BalancerContext context, Viewing viewing, Connecting connecting, Placing placing) {
    if (context.peers == null || !context.unowned.mayExist()) {
      publisher = null;
      replica = null;
      return;
    }
    ReplicaTables tables =
        new ReplicaTables(
            connecting.connections,
            viewing.labels,
            connecting.halfOpen,
            context.unowned,
            viewing.readSwitches);
    ReplicaPublisher sender =
        new ReplicaPublisher(context.peers, context.switches, tables, context.nanoTime);
    Replica others =
        new Replica(
            context.peers,
            sender,
            tables,
            placing.admissionControl,
            connecting.teardown,
            viewing.view,
            work -> context.housekeeping.submit("replicating connections", work),
            context.nanoTime);
    connecting.connections.subscribe(sender::changed);
    context.peers.listen(PeerTopic.CONNECTIONS, others);
    publisher = sender;
    replica = others;
    viewing.otherHosts = this::placeOf;
  }

  /** Lets the other controllers handle messages that concern their connections. */
  static void forwardMessages(
      BalancerContext context,
      Viewing viewing,
      Connecting connecting,
      Placing placing,
      MessageDispatcher messages) {
    if (context.peers == null || context.relay == null) {
      return;
    }
    OrdinaryNews news =
        new OrdinaryNews(
            connecting.tables.ordinary(),
            context.catalog::snapshot,
            viewing.hosts,
            context.relay,
            context.peers);
    connecting.tables.ordinary().publishNewTo(news::publish);
    context.peers.listen(PeerTopic.ORDINARY, news);
    UnownedMessages others =
        new UnownedMessages(
            context,
            connecting,
            placing.requests,
            news,
            context.relay,
            context.peers,
            messages::forwarded);
    messages.forwardBy(others);
    context.peers.listen(PeerTopic.MESSAGES, others);
  }

  /** Whether another controller repairs a label. */
  boolean holds(LabelledPath labelled) {
    return replica != null && replica.holds(labelled);
  }

  /** Whether the connections of a switch are known from its former master. */
  boolean covers(DatapathId switchId) {
    return replica != null && replica.covers(switchId);
  }

  private Optional<Attachment> placeOf(VlanAddress host) {
    return replica == null
        ? Optional.empty()
        : replica.placeOf(AddressKey.find(host.address())).filter(at -> at.vlan() == host.vlan());
  }

  /** Adds the periodic tasks. */
  void schedule(BalancerContext context) {
    if (replica != null && publisher != null) {
      context.housekeeping.every(
          Replica.TICK_MILLIS, new Task("completing the replica", replica::tick));
      context.repetition.every(
          ReplicaPublisher.TICK_MILLIS, "telling of connections", publisher::tick);
    }
  }
}
