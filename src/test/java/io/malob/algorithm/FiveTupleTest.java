package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

class FiveTupleTest {
  private static final int CLIENT = IPv4Address.of("10.0.0.0").getInt();
  private static final int VIP = IPv4Address.of("192.168.255.254").getInt();

  @Test
  void parts_forEveryPort_areWhatWentIn() {
    for (int port = 0; port <= 65_535; port++) {
      FiveTuple tuple = FiveTuple.of(17, -1, port, VIP, 65_535 - port);
      assertEquals(17, tuple.protocol());
      assertEquals(-1, tuple.srcAddress());
      assertEquals(port, tuple.srcPort());
      assertEquals(VIP, tuple.dstAddress());
      assertEquals(65_535 - port, tuple.dstPort());
    }
  }

  @Test
  void parts_atTheirBounds_doNotTouchEachOther() {
    int[] addresses = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    int[] ports = {0, 1, 32_767, 32_768, 65_535};
    int[] protocols = {0, 1, 6, 17, 255};
    for (int protocol : protocols) {
      for (int src : addresses) {
        for (int dst : addresses) {
          for (int srcPort : ports) {
            for (int dstPort : ports) {
              FiveTuple tuple = FiveTuple.of(protocol, src, srcPort, dst, dstPort);
              assertEquals(protocol, tuple.protocol());
              assertEquals(src, tuple.srcAddress());
              assertEquals(dst, tuple.dstAddress());
              assertEquals(srcPort, tuple.srcPort());
              assertEquals(dstPort, tuple.dstPort());
              assertEquals(FiveTuple.of(protocol, dst, dstPort, src, srcPort), tuple.reversed());
            }
          }
        }
      }
    }
  }

  @Test
  void addresses_areThoseThatWentIn() {
    IPv4Address client = IPv4Address.of("255.0.0.1");
    IPv4Address vip = IPv4Address.of("10.0.0.100");
    FiveTuple tuple = FiveTuple.of(6, client, 40_000, vip, 80);
    assertEquals(FiveTuple.of(6, client.getInt(), 40_000, vip.getInt(), 80), tuple);
    assertEquals(client, tuple.source());
    assertEquals(vip, tuple.destination());
    assertEquals("6 255.0.0.1:40000 -> 10.0.0.100:80", tuple.toString());
  }

  @Test
  void ipv6Addresses_areThoseThatWentIn() {
    IPv6Address client = IPv6Address.of("2001:db8::1");
    IPv6Address vip = IPv6Address.of("2001:db8::64");
    FiveTuple tuple = FiveTuple.of(6, client, 40_000, vip, 80);
    assertTrue(tuple.isIpv6());
    assertEquals(client, tuple.source());
    assertEquals(vip, tuple.destination());
    assertEquals("6 [2001:db8::1]:40000 -> [2001:db8::64]:80", tuple.toString());
    assertEquals(tuple, FiveTuple.of(6, vip, 80, client, 40_000).reversed());
    assertFalse(FiveTuple.of(6, VIP, 1, VIP, 2).isIpv6());
  }

  @Test
  void ipv4AddressThatStandsForAnIpv6Address_hasNoKey() {
    assertEquals(AddressKey.NONE, AddressKey.of(IPv4Address.of("240.0.0.1")));
    assertNotEquals(AddressKey.NONE, AddressKey.of(IPv4Address.of("240.16.0.0")));
  }

  /** The order of keys is that in which addresses were first seen. */
  @Test
  void order_isThatOfAddresses_notOfKeys() {
    List<String> sorted =
        List.of("9.0.0.1", "200.0.0.1", "2001:db8:f1fe::1", "2001:db8:f1fe::2", "fd00:f1fe::1");
    IPv4Address vip = IPv4Address.of(VIP);
    List<FiveTuple> tuples = new ArrayList<>();
    for (String client : Lists.reverse(sorted)) {
      tuples.add(FiveTuple.of(6, IPAddress.of(client), 1, vip, 80));
    }
    tuples.sort(null);
    assertEquals(sorted, tuples.stream().map(tuple -> tuple.source().toString()).toList());
  }

  @Test
  void reversed_twice_isTheSame() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      FiveTuple tuple =
          FiveTuple.of(
              random.nextInt(256),
              random.nextInt(),
              random.nextInt(65_536),
              random.nextInt(),
              random.nextInt(65_536));
      assertEquals(tuple, tuple.reversed().reversed());
      assertEquals(tuple.hashCode(), tuple.reversed().reversed().hashCode());
    }
  }

  static Stream<Arguments> clientPatterns() {
    return Stream.of(
        pattern("one client that counts its ports up", i -> from(CLIENT, i)),
        pattern("clients in a row, one port", i -> from(CLIENT + i, 40_000)),
        pattern("a few clients, their ports", i -> from(CLIENT + i % 8, 1_024 + i / 8)),
        pattern("many clients, their ports", i -> from(CLIENT + i % 1_024, 32_768 + i / 1_024)),
        pattern("networks, one client in each", i -> from(CLIENT + (i << 8), 50_000)),
        pattern("replies", i -> from(CLIENT + i % 256, 32_768 + i / 256).reversed()));
  }

  private static Arguments pattern(String name, IntFunction<FiveTuple> tuples) {
    return Arguments.of(Named.of(name, tuples));
  }

  private static FiveTuple from(int address, int port) {
    return FiveTuple.of(6, address, port, VIP, 80);
  }

  /**
   * 65,536 tuples in as many buckets: chance fills 1 - 1/e of them, 63.2 %. The lowest 16 bits
   * choose, as in a hash map after it has mixed in the upper half.
   */
  @ParameterizedTest
  @MethodSource("clientPatterns")
  void hashCode_ofClientsInRows_spreadsLikeChance(IntFunction<FiveTuple> tuples) {
    BitSet buckets = new BitSet();
    for (int i = 0; i < 65_536; i++) {
      int hash = tuples.apply(i).hashCode();
      buckets.set((hash ^ hash >>> 16) & 0xffff);
    }
    assertTrue(buckets.cardinality() > 40_000, buckets.cardinality() + " of 65,536 buckets");
  }

  @Test
  void toString_showsPortsAsNumbers() {
    assertEquals("6 10.0.0.0:65535 -> 192.168.255.254:80", from(CLIENT, 65_535).toString());
  }
}
