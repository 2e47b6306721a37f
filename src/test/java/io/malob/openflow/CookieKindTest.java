package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.CookieKind.Application;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.U64;

class CookieKindTest {
  /** The first 16 bits of each kind: switches have rules of earlier versions with them. */
  private static final Map<Integer, CookieKind> OF_EARLIER_VERSIONS =
      Map.ofEntries(
          Map.entry(0x6520, CookieKind.SWITCH),
          Map.entry(0x6521, CookieKind.VIP),
          Map.entry(0x6522, CookieKind.REQUEST),
          Map.entry(0x6523, CookieKind.REPLY),
          Map.entry(0x6524, CookieKind.LABEL),
          Map.entry(0x6525, CookieKind.HOST),
          Map.entry(0x6526, CookieKind.END),
          Map.entry(0x6527, CookieKind.FTP_DATA),
          Map.entry(0x6528, CookieKind.CLOSED),
          Map.entry(0x6529, CookieKind.REPORT),
          Map.entry(0x652a, CookieKind.PROBE),
          Map.entry(0x652b, CookieKind.FLOOD),
          Map.entry(0x652c, CookieKind.DENIAL),
          Map.entry(0x652d, CookieKind.BUCKET),
          Map.entry(0x652e, CookieKind.PROACTIVE),
          Map.entry(0x652f, CookieKind.ACCESS),
          Map.entry(0x6530, CookieKind.SWITCH_PROBE),
          Map.entry(0x6780, CookieKind.SUBFLOW_LABELLED),
          Map.entry(0x6781, CookieKind.SUBFLOW_INGRESS),
          Map.entry(0x6782, CookieKind.SUBFLOW_DESTINATION),
          Map.entry(0x6783, CookieKind.SUBFLOW_DIVERSION),
          Map.entry(0x6784, CookieKind.SUBFLOW_LABEL),
          Map.entry(0x6785, CookieKind.SUBFLOW_END),
          Map.entry(0x8750, CookieKind.UPLINK_FIXED),
          Map.entry(0x8751, CookieKind.UPLINK_OUT),
          Map.entry(0x8752, CookieKind.UPLINK_BACK),
          Map.entry(0x8753, CookieKind.UPLINK_END),
          Map.entry(0x8754, CookieKind.UPLINK_FOREIGN),
          Map.entry(0x3670, CookieKind.ROUTE),
          Map.entry(0x00a0, CookieKind.STATIC_ENTRY));

  private static List<CookieKind> kindsOf(U64 cookie) {
    return Arrays.stream(CookieKind.values()).filter(kind -> Cookie.is(cookie, kind)).toList();
  }

  @Test
  void cookiesOfEarlierVersions_areOfTheirKind() {
    OF_EARLIER_VERSIONS.forEach(
        (bits, kind) ->
            assertEquals(List.of(kind), kindsOf(U64.of((long) bits << 48)), kind.name()));
  }

  @Test
  void connectionsOfEarlierVersions_areRead() {
    U64 cookie = U64.of(0x6522_0010_0010_0009L);
    assertEquals(
        List.of(1, 1, 9),
        List.of(Cookie.vipNumber(cookie), Cookie.memberNumber(cookie), Cookie.generation(cookie)));
    assertEquals(cookie, Cookie.of(CookieKind.REQUEST, 1, 1, 9));
    assertEquals(U64.of(0x6524_0000_0000_0007L), Cookie.of(CookieKind.LABEL, 7));
    assertEquals(U64.of(0x6783_0000_0000_ffffL), epoch(CookieKind.SUBFLOW_DIVERSION, 0xffff));
  }

  private static U64 epoch(CookieKind kind, int epoch) {
    return kind.cookie(CookieField.EPOCH.at(epoch));
  }

  @ParameterizedTest
  @EnumSource(CookieKind.class)
  void everyKind_isReadBackWithItsFields(CookieKind kind) {
    long all = kind.fields().stream().mapToLong(CookieField::mask).reduce(0, (a, b) -> a | b);
    assertEquals(List.of(kind), kindsOf(kind.cookie(0)));
    assertEquals(List.of(kind), kindsOf(kind.cookie(all)));
    for (CookieField field : kind.fields()) {
      for (long value : new long[] {0, 1, field.max() / 2 + 1, field.max()}) {
        U64 cookie = kind.cookie(field.at(value));
        assertEquals(List.of(kind), kindsOf(cookie));
        for (CookieField other : kind.fields()) {
          assertEquals(other == field ? value : 0, other.in(cookie), other + " of " + kind);
        }
        assertEquals(field.max() - value, field.in(kind.cookie(all & ~field.at(value))));
      }
    }
  }

  @Test
  void noTwoKinds_haveACookieInCommon() {
    for (CookieKind one : CookieKind.values()) {
      for (CookieKind other : CookieKind.values()) {
        long both = one.mask() & other.mask();
        assertEquals(one == other, (one.bits() & both) == (other.bits() & both), one + " " + other);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CookieKind.class)
  void fields_overlapNeitherEachOtherNorTheKind(CookieKind kind) {
    long used = kind.mask();
    for (CookieField field : kind.fields()) {
      assertEquals(0, used & field.mask(), field + " of " + kind);
      used |= field.mask();
    }
  }

  @Test
  void balancer_hasRoomForMoreKinds() {
    Map<Application, Long> kinds =
        Arrays.stream(CookieKind.values())
            .collect(Collectors.groupingBy(CookieKind::application, Collectors.counting()));
    long free = Application.BALANCER.maxKind() + 1 - kinds.get(Application.BALANCER);
    assertTrue(free >= 250, "the balancer has room for " + free + " kinds");
    for (Application each : Application.values()) {
      assertTrue(each.maxKind() + 1 - kinds.get(each) >= 10, each.name());
    }
  }
}
