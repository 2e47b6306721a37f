package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.malob.openflow.CookieKind.Application;
import java.util.EnumSet;
import java.util.Optional;
import org.projectfloodlight.openflow.types.U64;

/** Makes and reads the cookies of the balancer's rules, whose layout {@link CookieKind} defines. */
public final class Cookie {
  /** The kinds of the balancer's rules. */
  static final ImmutableList<CookieKind> KINDS =
      ImmutableList.copyOf(
          Sets.filter(
              EnumSet.allOf(CookieKind.class), kind -> kind.application() == Application.BALANCER));

  private Cookie() {}

  /** The cookie of a rule that belongs to no connection. */
  public static U64 of(CookieKind kind, int id) {
    return U64.of(kind.bits() | CookieField.ID.at(id));
  }

  /** The cookie of a rule of a connection. */
  public static U64 of(CookieKind kind, int vipNumber, int memberNumber, int generation) {
    return U64.of(
        kind.bits()
            | CookieField.VIP.at(vipNumber)
            | CookieField.MEMBER.at(memberNumber)
            | CookieField.GENERATION.at(generation));
  }

  /** Whether a rule is of that kind. */
  public static boolean is(U64 cookie, CookieKind kind) {
    return (cookie.getValue() & kind.mask()) == kind.bits();
  }

  /** Whether a rule is the balancer's, of any kind. */
  static boolean isOurs(U64 cookie) {
    return Application.BALANCER.is(cookie);
  }

  /** The kind of a rule; empty if it is not the balancer's, or of an unknown kind. */
  public static Optional<CookieKind> kind(U64 cookie) {
    for (CookieKind kind : KINDS) {
      if (is(cookie, kind)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  /** The id of a rule that belongs to no connection, as it was given. */
  public static int id(U64 cookie) {
    return (int) CookieField.ID.in(cookie);
  }

  /** The number of the VIP of a connection's rule. */
  public static int vipNumber(U64 cookie) {
    return (int) CookieField.VIP.in(cookie);
  }

  /** The number of the member of a connection's rule. */
  public static int memberNumber(U64 cookie) {
    return (int) CookieField.MEMBER.in(cookie);
  }

  /** The generation of the connection that a rule belongs to. */
  public static int generation(U64 cookie) {
    return (int) CookieField.GENERATION.in(cookie);
  }

  /** The generation as it will be read back: its lowest 20 bits. */
  public static int generation(int generation) {
    return (int) CookieField.GENERATION.at(generation);
  }

  /**
   * One of several slices of all the balancer's rules, by their last bits.
   *
   * @param slice from 0 to slices - 1
   * @param slices a power of two, at most 2^20
   */
  static MaskedCookie slice(int slice, int slices) {
    MaskedCookie all = Application.BALANCER.all();
    return MaskedCookie.of(all.cookie().getValue() | slice, all.mask().getValue() | (slices - 1));
  }

  /** The rules of connections in both directions, which differ in the last bit of their kind. */
  static MaskedCookie connections() {
    return MaskedCookie.of(
        CookieKind.REQUEST.bits() & CookieKind.REPLY.bits(),
        ~(CookieKind.REQUEST.bits() ^ CookieKind.REPLY.bits()) & CookieKind.REQUEST.mask());
  }
}
