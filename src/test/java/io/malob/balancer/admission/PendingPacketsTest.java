package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.admission.PendingPackets.Entry;
import io.malob.openflow.packet.Packet;
import io.malob.testing.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class PendingPacketsTest {
  private static final MacAddress MAC = MacAddress.of(1);
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");

  private final List<Arrival> wanted = new ArrayList<>();
  private long now;
  private final PendingPackets room = new PendingPackets(() -> now, wanted::add);

  private Arrival syn(int client, String vip) {
    byte[] frame =
        Frames.tcp(MAC, MAC, CLIENT, 1_024 + client, IPv4Address.of(vip), 80, Packet.TCP_SYN);
    return new Arrival(DatapathId.of(1), OFPort.of(1), Packet.parse(frame), now);
  }

  private int enter(int count, String vip) {
    int waits = 0;
    for (int i = 0; i < count; i++) {
      waits += room.enter(syn(i, vip)) == Entry.WAITS ? 1 : 0;
    }
    return waits;
  }

  @Test
  void floodOfOneVip_leavesRoomForOthers() {
    assertEquals(PendingPackets.MAX_PER_VIP, enter(5_000, "10.0.0.100"));
    assertEquals(1, enter(1, "10.0.0.101"));
    assertEquals(PendingPackets.MAX_PER_VIP + 1, room.size());
  }

  @Test
  void room_isBounded_whateverTheAddresses() {
    int waits = 0;
    for (int vip = 0; vip < 5_000; vip++) {
      waits += enter(1, "10.7." + vip / 250 + "." + vip % 250);
    }
    assertEquals(1_024, waits);
  }

  @Test
  void leaving_makesRoomAgain() {
    int entered = enter(5_000, "10.0.0.100");

    assertEquals(entered, room.leave().size());

    assertEquals(0, room.size());
    assertEquals(entered, enter(5_000, "10.0.0.100"));
  }

  @Test
  void packetThatHasWaitedLongEnough_doesNotWaitAgain() {
    Arrival arrival = syn(1, "10.0.0.100");
    assertEquals(Entry.WAITS, room.enter(arrival));
    room.leave();
    now += TimeUnit.SECONDS.toNanos(3);

    assertEquals(Entry.WAITED_LONG_ENOUGH, room.enter(arrival));
    assertEquals(List.of(arrival), wanted);
  }
}
