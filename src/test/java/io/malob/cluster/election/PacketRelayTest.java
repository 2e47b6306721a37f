package io.malob.cluster.election;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.module.Mastership.RoleChannel;
import io.malob.module.PeerTopic;
import io.malob.testing.PeerNetwork;
import io.malob.testing.Stub;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** Packet-ins on the way from a master to the next one. */
class PacketRelayTest {
  private static final DatapathId SWITCH = DatapathId.of(0x1122334455667788L);

  private final List<byte[]> taken = new ArrayList<>();
  private final PacketRelay receiver = new PacketRelay();

  PacketRelayTest() {
    receiver.connected(
        Stub.of(RoleChannel.class)
            .on("id", with -> SWITCH)
            .on("takeHandedOn", with -> taken.add((byte[]) with[0]))
            .make());
  }

  @Test
  void packetIn_reachesTheNextMaster_afterItsDatapathId() {
    PeerNetwork network = new PeerNetwork();
    PacketRelay sender = new PacketRelay();
    sender.relayOver(network.peer("a"));
    receiver.relayOver(network.peer("b"));
    network.connect(network.peer("a"), network.peer("b"));
    assertTrue(sender.reaches("b"));
    assertTrue(sender.to("b", SWITCH).test(new byte[] {4, 10, 0, 8, 0, 0, 0, 1}));
    assertArrayEquals(new byte[] {4, 10, 0, 8, 0, 0, 0, 1}, taken.get(0));
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    PeerNetwork network = new PeerNetwork();
    List<byte[]> messages = new ArrayList<>();
    PacketRelay sender = new PacketRelay();
    sender.relayOver(network.peer("a"));
    network
        .peer("b")
        .listen(
            PeerTopic.PACKETS,
            Stub.of(io.malob.module.PeerListener.class)
                .on("received", with -> messages.add(((ByteBuffer) with[1]).array()))
                .on("reached", with -> null)
                .make());
    network.connect(network.peer("a"), network.peer("b"));
    assertTrue(sender.to("b", SWITCH).test(new byte[] {4, 10, 0, 8, 0, 0, 0, 1}));
    WireBytes.check("packet-in", messages.get(0));
  }

  @Test
  void messageWithoutAPacketIn_orForAnUnknownSwitch_hasNoEffect() {
    receiver.received("a", ByteBuffer.wrap(new byte[8]));
    receiver.received("a", ByteBuffer.wrap(new byte[16]));
    assertEquals(List.of(), taken);
  }
}
