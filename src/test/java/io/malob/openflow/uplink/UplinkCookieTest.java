package io.malob.openflow.uplink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.MaskedCookie;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.U64;

class UplinkCookieTest {
  @ParameterizedTest
  @EnumSource(value = CookieKind.class, names = "UPLINK_.*", mode = EnumSource.Mode.MATCH_ALL)
  void cookie_saysWhatItWasMadeOf(CookieKind kind) {
    U64 cookie = UplinkCookie.of(kind, 255, (1L << 40) - 1);
    assertTrue(UplinkCookie.isOurs(cookie));
    for (CookieKind other : CookieKind.values()) {
      assertEquals(other == kind, Cookie.is(cookie, other));
    }
    assertEquals(255, UplinkCookie.uplink(cookie));
    assertEquals((1L << 40) - 1, UplinkCookie.generation(cookie));
  }

  @Test
  void cookies_ofOtherApplications_areNotOurs() {
    U64 balancers = Cookie.of(CookieKind.REQUEST, 7);
    assertFalse(UplinkCookie.isOurs(balancers));
    assertFalse(matches(CookieKind.Application.UPLINKS.all(), balancers));
    assertFalse(UplinkCookie.isOurs(U64.ZERO));
  }

  @Test
  void flow_isMatchedInBothKindsAndNoOther() {
    MaskedCookie flow = UplinkCookie.ofFlow(3, 99);
    assertTrue(matches(flow, UplinkCookie.of(CookieKind.UPLINK_OUT, 3, 99)));
    assertTrue(matches(flow, UplinkCookie.of(CookieKind.UPLINK_BACK, 3, 99)));
    assertFalse(matches(flow, UplinkCookie.of(CookieKind.UPLINK_OUT, 2, 99)));
    assertFalse(matches(flow, UplinkCookie.of(CookieKind.UPLINK_OUT, 3, 98)));
  }

  @Test
  void otherEpochs_areAllButThisOne() {
    for (int epoch = 0; epoch < UplinkCookie.UPLINKS; epoch += 17) {
      for (int other = 0; other < UplinkCookie.UPLINKS; other++) {
        U64 cookie = UplinkCookie.of(CookieKind.UPLINK_FIXED, other, 0);
        boolean deleted =
            CookieKind.UPLINK_FIXED.all().without(CookieField.UPLINK, epoch).stream()
                .anyMatch(which -> matches(which, cookie));
        assertEquals(other != epoch, deleted);
      }
    }
  }

  private static boolean matches(MaskedCookie which, U64 cookie) {
    return which.matches(cookie);
  }
}
