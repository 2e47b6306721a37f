package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Which VIP a packet is for. */
class VipLookupTest {

  @Test
  void maxSpecificVip_wins() throws Exception {
    CatalogFixture fixture = CatalogFixture.inMemory();
    String address = "203.0.113.200";
    fixture.vip("id", "any", "address", address);
    fixture.vip("id", "80", "address", address, "port", "80");
    fixture.vip("id", "tcp", "address", address, "protocol", "tcp");
    fixture.vip("id", "tcp80", "address", address, "protocol", "tcp", "port", "80");
    fixture.vip("id", "ping", "address", address, "protocol", "icmp", "port", "8");
    int ip = IPv4Address.of(address).getInt();
    CatalogSnapshot now = fixture.now();
    assertEquals("tcp80", now.vipFor(ip, Protocol.TCP, 80).orElseThrow().id());
    assertEquals("tcp", now.vipFor(ip, Protocol.TCP, 81).orElseThrow().id());
    assertEquals("80", now.vipFor(ip, Protocol.UDP, 80).orElseThrow().id());
    assertEquals("any", now.vipFor(ip, Protocol.UDP, 81).orElseThrow().id());
    assertEquals("ping", now.vipFor(ip, Protocol.ICMP, 8).orElseThrow().id());
    assertEquals("any", now.vipFor(ip, Protocol.ICMP, 0).orElseThrow().id());
    assertTrue(now.vipFor(ip + 1, Protocol.TCP, 80).isEmpty());
    assertFalse(now.isVipAddress(ip + 1));
  }

  /** Against a search through the whole list, which is obviously right. */
  @Test
  void lookUp_findsWhatASearchFinds() throws Exception {
    Random random = new Random(42);
    CatalogFixture fixture = CatalogFixture.inMemory();
    for (int i = 0; i < 400; i++) {
      Fields fields = Fields.of("address", "10.0.0." + (1 + random.nextInt(20)));
      if (random.nextBoolean()) {
        fields = fields.with("protocol", List.of("tcp", "udp", "icmp").get(random.nextInt(3)));
      }
      if (random.nextInt(4) > 0) {
        fields = fields.with("port", "" + (1 + random.nextInt(30)));
      }
      try {
        fixture.catalog.create(Catalog.VIPS, fields);
      } catch (RejectedException e) {
        assertEquals(RejectedException.Reason.CONFLICT, e.reason());
      }
    }
    List<Vip> vips = new ArrayList<>(fixture.now().vips().values());
    assertTrue(vips.size() > 200);
    for (int host = 0; host < 25; host++) {
      int address = IPv4Address.of("10.0.0." + host).getInt();
      for (Protocol protocol : Protocol.values()) {
        for (int port = 0; port < 35; port++) {
          assertEquals(
              search(vips, address, protocol, port), fixture.now().vipFor(address, protocol, port));
        }
      }
    }
  }

  private static Optional<Vip> search(List<Vip> vips, int address, Protocol protocol, int port) {
    Optional<Vip> found = search(vips, address, protocol, (Integer) port);
    found = found.isPresent() ? found : search(vips, address, protocol, null);
    found = found.isPresent() ? found : search(vips, address, null, (Integer) port);
    return found.isPresent() ? found : search(vips, address, null, null);
  }

  private static Optional<Vip> search(
      List<Vip> vips, int address, Protocol protocol, Integer port) {
    return vips.stream()
        .filter(vip -> AddressKey.of(vip.address()) == address)
        .filter(vip -> vip.protocol() == protocol && Objects.equals(vip.port(), port))
        .findFirst();
  }
}
