package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import java.util.IdentityHashMap;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class SharedAttachmentsTest {
  private final SharedAttachments shared = new SharedAttachments();

  private static Attachment client(int number) {
    return new Attachment(
        DatapathId.of(1 + number % 10),
        OFPort.of(1 + number / 10),
        MacAddress.of(0x0200_0000 + number));
  }

  @Test
  void equalPlaces_areOneObject() {
    Attachment first = shared.share(client(1));
    assertEquals(client(1), first);
    assertSame(first, shared.share(client(1)));
    assertEquals(client(2), shared.share(client(2)));
    assertSame(first, shared.share(client(1)));
  }

  @Test
  void manyPlaces_areAnsweredRightly_andThoseOfANetworkMostlyShared() {
    IdentityHashMap<Attachment, Boolean> objects = new IdentityHashMap<>();
    int clients = 1_000;
    int rounds = 20;
    for (int i = 0; i < rounds * clients; i++) {
      Attachment found = shared.share(client(i % clients));
      assertEquals(client(i % clients), found);
      objects.put(found, true);
    }
    assertTrue(objects.size() < rounds * clients / 4, objects.size() + " objects");
    for (int i = 0; i < 100_000; i++) {
      assertEquals(client(i), shared.share(client(i)));
    }
  }
}
