package io.malob.balancer.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ProactiveClientsTest {
  private static final int VIP = AddressKey.of(IPv6Address.of("fd00::64"));
  private static final int CLIENT = AddressKey.of(IPv6Address.of("fd00::1"));
  private static final Attachment AT =
      new Attachment(DatapathId.of(1), OFPort.of(1), MacAddress.of("02:00:00:00:00:01"));

  private final ProactiveClients clients = new ProactiveClients(() -> {});

  private Set<Integer> keys() {
    Set<Integer> keys = new HashSet<>();
    clients.addressKeys(keys::add);
    return keys;
  }

  @Test
  void keys_areInUse_asLongAsTheVipHasClients() {
    assertEquals(Set.of(), keys());
    clients.learn(VIP, CLIENT, AT);
    assertEquals(Set.of(VIP, CLIENT), keys());
    clients.retain(Set.of());
    assertEquals(Set.of(), keys());
  }

  /** A host that has no key is no client. */
  @Test
  void moved_withoutAKey_hasNoEffect() {
    clients.learn(VIP, CLIENT, AT);
    clients.moved(AddressKey.NONE, new Attachment(DatapathId.of(2), AT.port(), AT.mac()));
    assertEquals(AT, clients.of(VIP).get(CLIENT));
    assertEquals(1, clients.of(VIP).size());
  }
}
