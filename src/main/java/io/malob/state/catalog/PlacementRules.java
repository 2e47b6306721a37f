package io.malob.state.catalog;

import com.google.common.collect.Iterables;
import io.malob.algorithm.AddressText;
import io.malob.json.RejectedException;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requirements of proactive placement. Its rules match the transport port of clients, so a VIP
 * needs TCP or UDP, and a port. The controller does not see each connection, so it cannot limit
 * their number or keep clients on a member. Their replies are led by the next hop that a member
 * chose, which is in the member's VLAN, so that is the VIP's. At a member's edge, a rule gives all
 * other replies of the server's port the VIP's address, so that port cannot have another such
 * member.
 *
 * <p>Connections of reactive VIPs have reply rules with the client's address and port, which take
 * precedence. Their members can use the same server port.
 */
final class PlacementRules {
  private PlacementRules() {}

  /** Checks the fields of a VIP. */
  static void checkVip(Vip vip) throws RejectedException {
    if (!vip.placement().isInAdvance()) {
      return;
    }
    String placement = "placement " + vip.placement().text();
    if (vip.protocol() != Protocol.TCP && vip.protocol() != Protocol.UDP) {
      throw RejectedException.invalid(
          "protocol", "protocol must be tcp or udp for a VIP with " + placement);
    }
    if (vip.port() == null) {
      throw RejectedException.invalid("port", "port is required for a VIP with " + placement);
    }
    if (vip.connectionLimit() != null && !vip.mayBeExact()) {
      throw RejectedException.invalid(
          "connection_limit", "a VIP with " + placement + " cannot have a connection_limit");
    }
  }

  /** Checks the fields of a pool; an error names {@code field}. */
  static void checkPool(CatalogSnapshot candidate, Pool pool, String field)
      throws RejectedException {
    Vip vip = proactiveVipOf(candidate, pool);
    if (vip != null && !vip.mayBeExact() && pool.persistence() != null) {
      throw RejectedException.unprocessable(
          field, "pool " + pool.id() + " cannot have session_persistence: " + reason(vip));
    }
  }

  /** Checks that the sources of a pool can be translated; an error names {@code field}. */
  static void checkSourceNat(CatalogSnapshot candidate, Pool pool, String field)
      throws RejectedException {
    Vip vip = candidate.vipOf(pool).orElse(null);
    if (vip != null && pool.sourceNat() && !vip.mayBeExact()) {
      throw RejectedException.unprocessable(
          field,
          String.format(
              "pool %s cannot have source_nat, which needs placement tracked or auto: %s",
              pool.id(), reason(vip)));
    }
  }

  /** Checks all members of a pool; an error names {@code field}. */
  static void checkMembers(CatalogSnapshot candidate, Pool pool, String field)
      throws RejectedException {
    Vip vip = proactiveVipOf(candidate, pool);
    if (vip != null) {
      for (Member member : candidate.membersOfPool(pool.id())) {
        checkLimit(vip, member, field);
        checkVlan(vip, member, field);
        checkServerPort(candidate, vip, member, field);
      }
    }
  }

  /** Checks a member of a pool. */
  static void checkMember(CatalogSnapshot candidate, Pool pool, Member member)
      throws RejectedException {
    Vip vip = proactiveVipOf(candidate, pool);
    if (vip != null) {
      checkLimit(vip, member, "connection_limit");
      checkVlan(vip, member, "vlan");
      checkServerPort(candidate, vip, member, "address");
    }
  }

  private static void checkLimit(Vip vip, Member member, String field) throws RejectedException {
    if (member.connectionLimit() != null && !vip.mayBeExact()) {
      throw RejectedException.unprocessable(
          field, "member " + member.id() + " cannot have a connection_limit: " + reason(vip));
    }
  }

  private static void checkVlan(Vip vip, Member member, String field) throws RejectedException {
    if (member.vlan() != vip.vlan()) {
      throw RejectedException.unprocessable(
          field, "member " + member.id() + " must have the VLAN of its VIP: " + reason(vip));
    }
  }

  private static void checkServerPort(
      CatalogSnapshot candidate, Vip vip, Member member, String field) throws RejectedException {
    Member other = sharesServerPort(candidate, vip, member, each -> each.placement().isInAdvance());
    if (other != null) {
      throw RejectedException.conflict(
          field,
          String.format(
              "member %s of VIP %s and member %s of VIP %s have the same server port, %s;"
                  + " with placement proactive or tracked, each needs its own",
              member.id(),
              vip.id(),
              other.id(),
              candidate.vipOf(other).map(Vip::id).orElse(""),
              AddressText.withPort(member.address(), Objects.requireNonNull(vip.portAt(member)))));
    }
  }

  /** A member of another such VIP, with the address and the server port of a member. */
  private static @Nullable Member sharesServerPort(
      CatalogSnapshot candidate, Vip vip, Member member, Predicate<Vip> such) {
    // without a port, a member has that of its VIP
    Integer port = Objects.requireNonNull(vip.portAt(member));
    for (Member other :
        Iterables.concat(
            candidate.membersAt(member.address(), port),
            candidate.membersAt(member.address(), null))) {
      Vip otherVip = candidate.vipOf(other).filter(such).orElse(null);
      if (otherVip != null
          && !other.id().equals(member.id())
          && otherVip.protocol() == vip.protocol()
          && Objects.equals(otherVip.portAt(other), port)) {
        return other;
      }
    }
    return null;
  }

  /**
   * What keeps a VIP with placement auto from rules in advance, for which others are refused; null
   * if nothing does.
   */
  static @Nullable String obstacle(CatalogSnapshot catalog, Vip vip, Pool pool) {
    for (Member member : catalog.membersOfPool(pool.id())) {
      if (member.vlan() != vip.vlan()) {
        return "member " + member.id() + " has another VLAN";
      }
      Member other = sharesServerPort(catalog, vip, member, Vip::mayBeProactive);
      if (other != null) {
        return "member " + member.id() + " has the server port of member " + other.id();
      }
    }
    return null;
  }

  private static String reason(Vip vip) {
    return "VIP " + vip.id() + " has placement " + vip.placement().text();
  }

  private static @Nullable Vip proactiveVipOf(CatalogSnapshot candidate, Pool pool) {
    return candidate.vipOf(pool).filter(vip -> vip.placement().isInAdvance()).orElse(null);
  }
}
