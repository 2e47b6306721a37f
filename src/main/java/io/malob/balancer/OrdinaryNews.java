package io.malob.balancer;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.admission.Clients;
import io.malob.balancer.admission.OrdinaryConnections;
import io.malob.balancer.connection.TupleFormat;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.state.catalog.CatalogSnapshot;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * Tells the masters of servers' switches of connections to these servers themselves, whose packets
 * come in here; a message has the five-tuple of the server's packets. Thread-safe; never blocks.
 */
record OrdinaryNews(
    OrdinaryConnections ordinary,
    Supplier<CatalogSnapshot> catalog,
    Clients hosts,
    IRelayService relay,
    IPeerService peers)
    implements PeerListener {
  /** Publishes one connection, unless the switch of its server is this controller's. */
  void publish(FiveTuple reply) {
    catalog.get().membersAt(reply.srcAddress()).stream()
        .findFirst()
        .flatMap(member -> hosts.find(new VlanAddress(member.address(), member.vlan())))
        .map(Attachment::switchId)
        .flatMap(relay::otherMaster)
        .ifPresent(
            master -> {
              FieldWriter message = new FieldWriter(64);
              TupleFormat.write(reply, message);
              boolean unusedAsItIsFoundOutAnew =
                  peers.send(master, PeerTopic.ORDINARY, message.toBytes());
            });
  }

  @Override
  public void received(String peer, ByteBuffer bytes) {
    ordinary.learn(TupleFormat.read(new FieldReader(bytes)));
  }
}
