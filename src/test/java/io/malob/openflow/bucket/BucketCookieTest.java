package io.malob.openflow.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.MaskedCookie;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.U64;

class BucketCookieTest {
  private static final int TCP = 6;

  private static FiveTuple request(int address, int port) {
    return FiveTuple.of(TCP, address, port, 0x0a000064, 80);
  }

  /** All keys and states, with random VIPs, members and indexes from a fixed seed. */
  @Test
  void cookie_ofEachContent_isReadBack() {
    Random random = new Random(20_261_124);
    Set<U64> seen = new HashSet<>();
    int made = 0;
    for (BucketSource source : BucketSource.values()) {
      for (int count = BucketKey.MIN; count <= BucketKey.MAX; count *= 2) {
        for (boolean isMoving : new boolean[] {false, true}) {
          for (int index : new int[] {0, 1, count - 1, random.nextInt(2, count - 1)}) {
            BucketCookie content =
                new BucketCookie(
                    1 + random.nextInt(4_095),
                    1 + random.nextInt(65_535),
                    new BucketKey(source, count),
                    index,
                    isMoving);

            assertEquals(Optional.of(content), BucketCookie.of(content.cookie()));
            seen.add(content.cookie());
            made++;
          }
        }
      }
    }
    assertEquals(made, seen.size());
  }

  @ParameterizedTest
  @EnumSource(value = CookieKind.class, names = "BUCKET", mode = EnumSource.Mode.EXCLUDE)
  void of_anotherKind_isEmpty(CookieKind kind) {
    assertEquals(Optional.empty(), BucketCookie.of(Cookie.of(kind, 1, 2, 3)));
  }

  @Test
  void setMask_selectsTheBucketsOfOneVipAndNumber() {
    BucketKey key = new BucketKey(BucketSource.PORT, 128);
    MaskedCookie set = BucketCookie.ofSet(5, key);

    for (BucketCookie each :
        new BucketCookie[] {
          new BucketCookie(5, 1, key, 0, false), new BucketCookie(5, 9, key, 127, true)
        }) {
      assertTrue(set.matches(each.cookie()));
    }
    for (BucketCookie other :
        new BucketCookie[] {
          new BucketCookie(6, 1, key, 0, false),
          new BucketCookie(5, 1, new BucketKey(BucketSource.PORT, 64), 0, false),
          new BucketCookie(5, 1, new BucketKey(BucketSource.PORT, 256), 0, false)
        }) {
      assertTrue(!set.matches(other.cookie()), other::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32, 65, 96, 8_191, 16_384, -64})
  void key_ofAnotherNumber_isRefusedWithIt(int count) {
    Exception refused =
        assertThrows(IllegalArgumentException.class, () -> new BucketKey(BucketSource.PORT, count));
    assertTrue(refused.getMessage().contains(Integer.toString(count)), refused.getMessage());
  }

  /** Systems prefer ports of one parity. */
  @Test
  void indexOf_port_ignoresItsLowestBit() {
    BucketKey key = new BucketKey(BucketSource.PORT, 64);

    assertEquals(0, key.indexOf(request(7, 0)));
    assertEquals(0, key.indexOf(request(7, 1)));
    assertEquals(1, key.indexOf(request(7, 2)));
    assertEquals(63, key.indexOf(request(7, 65_535)));
    assertEquals(32, key.indexOf(request(7, 40_000)));
  }

  @Test
  void indexOf_address_isOfItsLowBits() {
    BucketKey key = new BucketKey(BucketSource.ADDRESS, 256);

    assertEquals(7, key.indexOf(request(0x0a000007, 40_000)));
    assertEquals(255, key.indexOf(request(0xffffffff, 1)));
  }

  /** Of the address, not of its key. */
  @Test
  void indexOf_ipv6Address_isOfItsLowBits() {
    BucketKey key = new BucketKey(BucketSource.ADDRESS, 256);
    IPv6Address vip = IPv6Address.of("fd00::64");

    for (int bits : List.of(0xab, 0x07, 0xff)) {
      IPv6Address client = IPv6Address.of(0xfd00L << 48, 0xc000_0100L | bits);
      assertEquals(bits, key.indexOf(FiveTuple.of(6, client, 40_000, vip, 80)));
    }
  }
}
