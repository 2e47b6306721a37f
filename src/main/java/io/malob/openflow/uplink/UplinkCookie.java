package io.malob.openflow.uplink;

import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.CookieKind.Application;
import io.malob.openflow.MaskedCookie;
import org.projectfloodlight.openflow.types.U64;

/** Makes and reads the cookies of the rules of a host's switch. */
public final class UplinkCookie {
  /** Numbers of uplinks, and epochs, are below this. */
  public static final int UPLINKS = (int) CookieField.UPLINK.max() + 1;

  private UplinkCookie() {}

  /**
   * The cookie of a rule.
   *
   * @param uplink the number of the uplink; of fixed rules, the epoch
   * @param generation that of the flow; 0 for other rules
   */
  static U64 of(CookieKind kind, int uplink, long generation) {
    return kind.cookie(CookieField.UPLINK.at(uplink) | CookieField.FLOW.at(generation));
  }

  /** Whether a rule with this cookie is the host's. */
  public static boolean isOurs(U64 cookie) {
    return Application.UPLINKS.is(cookie);
  }

  /** The number of the uplink in a cookie. */
  public static int uplink(U64 cookie) {
    return (int) CookieField.UPLINK.in(cookie);
  }

  /** The generation of the flow in a cookie. */
  public static long generation(U64 cookie) {
    return CookieField.FLOW.in(cookie);
  }

  /** A generation that fits into a cookie, from any number. */
  public static long generation(long number) {
    return CookieField.FLOW.at(number);
  }

  /** Both rules of one flow. */
  static MaskedCookie ofFlow(int uplink, long generation) {
    return Application.UPLINKS
        .all()
        .with(CookieField.UPLINK, uplink)
        .with(CookieField.FLOW, generation);
  }
}
