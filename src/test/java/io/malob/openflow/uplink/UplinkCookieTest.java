package io.malob.openflow.uplink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.Cookie;
import io.malob.openflow.uplink.UplinkCookie.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.U64;

class UplinkCookieTest {
  @ParameterizedTest
  @EnumSource(Kind.class)
  void cookie_saysWhatItWasMadeOf(Kind kind) {
    U64 cookie = UplinkCookie.of(kind, 255, (1L << 40) - 1);
    assertTrue(UplinkCookie.isOurs(cookie));
    for (Kind other : Kind.values()) {
      assertEquals(other == kind, UplinkCookie.is(cookie, other));
    }
    assertEquals(255, UplinkCookie.uplink(cookie));
    assertEquals((1L << 40) - 1, UplinkCookie.generation(cookie));
  }

  @Test
  void cookies_ofOtherApplications_areNotOurs() {
    U64 balancers = Cookie.of(Cookie.Kind.REQUEST, 7);
    assertFalse(UplinkCookie.isOurs(balancers));
    assertFalse(matches(UplinkCookie.all(), balancers));
    assertFalse(UplinkCookie.isOurs(U64.ZERO));
  }

  @Test
  void flow_isMatchedInBothKindsAndNoOther() {
    UplinkCookie.Masked flow = UplinkCookie.ofFlow(3, 99);
    assertTrue(matches(flow, UplinkCookie.of(Kind.OUT, 3, 99)));
    assertTrue(matches(flow, UplinkCookie.of(Kind.BACK, 3, 99)));
    assertFalse(matches(flow, UplinkCookie.of(Kind.OUT, 2, 99)));
    assertFalse(matches(flow, UplinkCookie.of(Kind.OUT, 3, 98)));
  }

  @Test
  void otherEpochs_areAllButThisOne() {
    for (int epoch = 0; epoch < UplinkCookie.UPLINKS; epoch += 17) {
      for (int other = 0; other < UplinkCookie.UPLINKS; other++) {
        U64 cookie = UplinkCookie.of(Kind.FIXED, other, 0);
        boolean deleted =
            UplinkCookie.otherEpochs(Kind.FIXED, epoch).stream()
                .anyMatch(which -> matches(which, cookie));
        assertEquals(other != epoch, deleted);
      }
    }
  }

  private static boolean matches(UplinkCookie.Masked which, U64 cookie) {
    return cookie.applyMask(which.mask()).equals(which.cookie().applyMask(which.mask()));
  }
}
