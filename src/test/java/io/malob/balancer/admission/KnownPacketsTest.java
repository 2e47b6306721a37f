package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.admission.Decision.Known;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Packets of a connection that is known. That they cost no object is measured by {@code bench
 * packet-in}, as it depends on the compiler of the JVM.
 */
class KnownPacketsTest {
  private static final int PORT = 40_000;

  private final LifecycleFixture all = new LifecycleFixture();
  private final Decider decider =
      new Decider(
          all.tables,
          new Nowhere(),
          new OpeningDecider(all.tables, new ServiceProfiles(), new PlacementCounts()),
          all::now);

  /** Knows no client. */
  private static final class Nowhere implements Clients {
    @Override
    public Optional<Attachment> locate(DatapathId switchId, OFPort inPort, Packet packet) {
      return Optional.empty();
    }

    @Override
    public boolean probeAll(VlanAddress host, IPAddress<?> vip) {
      return false;
    }

    @Override
    public Optional<Attachment> find(VlanAddress host) {
      return Optional.empty();
    }

    @Override
    public boolean isHost(VlanAddress address) {
      return false;
    }

    @Override
    public Optional<Attachment> find(MacAddress mac, int vlan) {
      return Optional.empty();
    }
  }

  private Decision decide(Arrival arrival, boolean isToVip) {
    BalancerView view = all.view.get();
    Connection known = decider.connectionOf(arrival.packet(), isToVip);
    return isToVip
        ? decider.toVip(arrival, known, view)
        : decider.notToVip(arrival.packet(), known, view);
  }

  @Test
  void requestOfAKnownConnection_isOne() {
    all.open(PORT);
    Arrival ack = all.arrival(LifecycleFixture.fromClient(PORT, Packet.TCP_ACK));

    assertEquals(Known.REQUEST, decide(ack, true));
  }

  @Test
  void replyOfAKnownConnection_isOne() {
    all.open(PORT);
    Arrival reply = all.arrival(LifecycleFixture.fromMember(PORT));

    assertEquals(Known.REPLY, decide(reply, false));
  }

  @Test
  void directionOfAPacket_isThatOfItsAddresses() {
    Connection connection = all.open(PORT);
    Packet ack = LifecycleFixture.fromClient(PORT, Packet.TCP_ACK);
    Packet reply = LifecycleFixture.fromMember(PORT);

    assertTrue(connection.isFromClient(ack));
    assertEquals(false, connection.isFromClient(reply));
  }
}
