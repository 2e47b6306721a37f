package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.openflow.Cookie.Kind;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.U64;

class CookieTest {
  private static final int[] VIPS = {1, 2, 2_048, 4_095};
  private static final int[] MEMBERS = {1, 2, 15, 16, 32_768, 65_535};
  private static final int[] GENERATIONS = {0, 1, 0x80000, 0xfffff};
  private static final int[] IDS = {0, 1, 0x100000, 0x200000, 0x800000, 0xf00000, 0xffffff};

  private static boolean selects(U64 cookie, U64 mask, U64 other) {
    return other.applyMask(mask).equals(cookie.applyMask(mask));
  }

  @Test
  void of_everyCombination_isUniqueAndOfItsKind() {
    Set<U64> seen = new HashSet<>();
    int made = 0;
    for (Kind kind : new Kind[] {Kind.REQUEST, Kind.REPLY}) {
      for (int vip : VIPS) {
        for (int member : MEMBERS) {
          for (int generation : GENERATIONS) {
            U64 cookie = Cookie.of(kind, vip, member, generation);
            seen.add(cookie);
            made++;
            assertEquals(generation, Cookie.generation(cookie));
            for (Kind other : Kind.values()) {
              assertEquals(other == kind, Cookie.is(cookie, other));
            }
          }
        }
      }
    }
    assertEquals(made, seen.size());
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void is_forEveryIdOfAKind_isOnlyThatKind(Kind kind) {
    for (int id : IDS) {
      for (Kind other : Kind.values()) {
        assertEquals(other == kind, Cookie.is(Cookie.of(kind, id), other));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 0x0652_0000_0000_0000L, 0x6512_0000_0000_0000L, 0x6530000000000000L})
  void is_forForeignCookie_isFalse(long cookie) {
    for (Kind kind : Kind.values()) {
      assertFalse(Cookie.is(U64.of(cookie), kind));
    }
    assertFalse(selects(Cookie.of(Kind.SWITCH, 0), Cookie.applicationMask(), U64.of(cookie)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 0xfffff, 0x100000, 0x100001, Integer.MAX_VALUE, -1})
  void generation_ofAnyCount_readsBackAsItsLowestBits(int count) {
    U64 cookie = Cookie.of(Kind.REQUEST, 4_095, 65_535, count);
    assertEquals(Cookie.generation(count), Cookie.generation(cookie));
    assertEquals(Cookie.of(Kind.REQUEST, 4_095, 65_535, 0), U64.of(cookie.getValue() & ~0xfffffL));
  }

  @Test
  void masks_ofVipAndMember_selectTheirRulesOfThatKindAndNothingElse() {
    for (int vip : VIPS) {
      for (int member : MEMBERS) {
        U64 ofVip = Cookie.of(Kind.REQUEST, vip, 0, 0);
        U64 ofMember = Cookie.of(Kind.REQUEST, 0, member, 0);
        for (Kind kind : new Kind[] {Kind.REQUEST, Kind.REPLY}) {
          for (int otherVip : VIPS) {
            for (int otherMember : MEMBERS) {
              U64 other = Cookie.of(kind, otherVip, otherMember, 0xfffff);
              boolean same = kind == Kind.REQUEST;
              assertEquals(same && vip == otherVip, selects(ofVip, Cookie.vipMask(), other));
              assertEquals(
                  same && member == otherMember, selects(ofMember, Cookie.memberMask(), other));
            }
          }
        }
        for (Kind kind : new Kind[] {Kind.SWITCH, Kind.VIP, Kind.LABEL, Kind.HOST}) {
          for (int id : IDS) {
            assertFalse(selects(ofVip, Cookie.vipMask(), Cookie.of(kind, id)));
            assertFalse(selects(ofMember, Cookie.memberMask(), Cookie.of(kind, id)));
          }
        }
      }
    }
  }

  @Test
  void applicationMask_selectsAllOfOurs() {
    for (Kind kind : Kind.values()) {
      U64 any = Cookie.of(kind, 0xffffff);
      assertEquals(true, selects(Cookie.of(Kind.SWITCH, 0), Cookie.applicationMask(), any));
      assertNotEquals(Cookie.of(Kind.SWITCH, 0), any);
    }
  }
}
