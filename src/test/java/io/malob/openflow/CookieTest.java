package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.openflow.CookieKind.Application;
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

  @Test
  void of_everyCombination_isUniqueAndOfItsKind() {
    Set<U64> seen = new HashSet<>();
    int made = 0;
    for (CookieKind kind : new CookieKind[] {CookieKind.REQUEST, CookieKind.REPLY}) {
      for (int vip : VIPS) {
        for (int member : MEMBERS) {
          for (int generation : GENERATIONS) {
            U64 cookie = Cookie.of(kind, vip, member, generation);
            seen.add(cookie);
            made++;
            assertEquals(generation, Cookie.generation(cookie));
            for (CookieKind other : CookieKind.values()) {
              assertEquals(other == kind, Cookie.is(cookie, other));
            }
          }
        }
      }
    }
    assertEquals(made, seen.size());
  }

  @ParameterizedTest
  @EnumSource(CookieKind.class)
  void is_forEveryIdOfAKind_isOnlyThatKind(CookieKind kind) {
    for (int id : IDS) {
      for (CookieKind other : CookieKind.values()) {
        assertEquals(other == kind, Cookie.is(Cookie.of(kind, id), other));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 0x0652_0000_0000_0000L, 0x6512_0000_0000_0000L, 0x6530000000000000L})
  void is_forForeignCookie_isFalse(long cookie) {
    for (CookieKind kind : Cookie.KINDS) {
      assertFalse(Cookie.is(U64.of(cookie), kind));
    }
    assertFalse(Application.BALANCER.all().matches(U64.of(cookie)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 0xfffff, 0x100000, 0x100001, Integer.MAX_VALUE, -1})
  void generation_ofAnyCount_readsBackAsItsLowestBits(int count) {
    U64 cookie = Cookie.of(CookieKind.REQUEST, 4_095, 65_535, count);
    assertEquals(Cookie.generation(count), Cookie.generation(cookie));
    assertEquals(
        Cookie.of(CookieKind.REQUEST, 4_095, 65_535, 0), U64.of(cookie.getValue() & ~0xfffffL));
  }

  @Test
  void masks_ofVipAndMember_selectTheirRulesOfThatKindAndNothingElse() {
    for (int vip : VIPS) {
      for (int member : MEMBERS) {
        MaskedCookie ofVip = CookieKind.REQUEST.all().with(CookieField.VIP, vip);
        MaskedCookie ofMember = CookieKind.REQUEST.all().with(CookieField.MEMBER, member);
        for (CookieKind kind : new CookieKind[] {CookieKind.REQUEST, CookieKind.REPLY}) {
          for (int otherVip : VIPS) {
            for (int otherMember : MEMBERS) {
              U64 other = Cookie.of(kind, otherVip, otherMember, 0xfffff);
              boolean same = kind == CookieKind.REQUEST;
              assertEquals(same && vip == otherVip, ofVip.matches(other));
              assertEquals(same && member == otherMember, ofMember.matches(other));
            }
          }
        }
        for (CookieKind kind :
            new CookieKind[] {
              CookieKind.SWITCH, CookieKind.VIP, CookieKind.LABEL, CookieKind.HOST
            }) {
          for (int id : IDS) {
            assertFalse(ofVip.matches(Cookie.of(kind, id)));
            assertFalse(ofMember.matches(Cookie.of(kind, id)));
          }
        }
      }
    }
  }

  @Test
  void applicationMask_selectsAllOfOurs() {
    for (CookieKind kind : Cookie.KINDS) {
      U64 any = Cookie.of(kind, 0xffffff);
      assertEquals(true, Application.BALANCER.all().matches(any));
      assertNotEquals(Cookie.of(CookieKind.SWITCH, 0), any);
    }
  }
}
