package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPVersion;

/** The rules for VIPs. */
final class VipKind extends CatalogKind<Vip> {
  private static final String ALLOWED_SOURCES = "allowed_sources";

  VipKind() {
    super(
        "VIP",
        "vips",
        Vip.MAX_NUMBER,
        "id",
        "name",
        "protocol",
        "address",
        "port",
        "lb_method",
        ALLOWED_SOURCES,
        "connection_limit",
        "placement",
        "admin_state",
        Notes.DESCRIPTION,
        Notes.TAGS,
        Notes.EXTERNAL_IDS);
  }

  @Override
  public Map<String, Vip> in(CatalogSnapshot snapshot) {
    return snapshot.vips();
  }

  @Override
  Vip read(FieldReader fields, String id, int number, @Nullable Vip current)
      throws RejectedException {
    return new Vip(
        current == null ? number : current.number(),
        id,
        fields.name(current == null ? null : current.name(), id),
        fields.optional(
            "protocol", current == null ? null : current.protocol(), FieldFormat::protocol),
        fields.required(
            "address", current == null ? null : current.address(), FieldFormat::address),
        fields.optional("port", current == null ? null : current.port(), FieldFormat::port),
        fields.optional(
            "lb_method", current == null ? null : current.algorithm(), FieldFormat::algorithm),
        fields.optional(
            ALLOWED_SOURCES,
            current == null ? null : current.allowedSources(),
            SourceNetworks::parse),
        fields.optional(
            "connection_limit",
            current == null ? null : current.connectionLimit(),
            FieldFormat::connectionLimit),
        fields.optional(
            "placement",
            current == null ? null : current.placement(),
            FieldFormat::placement,
            PlacementMode.REACTIVE),
        fields.optional(
            "admin_state",
            current == null ? null : current.adminState(),
            FieldFormat::upOrDown,
            AdminState.UP),
        Notes.read(fields, current == null ? null : current.notes()));
  }

  @Override
  public boolean takesParts(String fieldName) {
    return fieldName.equals(ALLOWED_SOURCES) || super.takesParts(fieldName);
  }

  @Override
  int numberOf(Vip vip) {
    return vip.number();
  }

  @Override
  FreeNumbers freeNumbers(CatalogTables tables) {
    return new FreeNumbers(tables.lastVipNumber(), Vip.MAX_NUMBER)
        .without(tables.vips().values(), this);
  }

  @Override
  CatalogTables with(CatalogTables tables, Collection<Vip> items, int lastNumber) {
    return tables.withVips(CatalogTables.plus(tables.vips(), items)).withLastVipNumber(lastNumber);
  }

  @Override
  CatalogTables without(CatalogTables tables, Collection<Vip> items) {
    Set<@Nullable String> gone = new HashSet<>(CatalogTables.ids(items));
    return tables
        .withVips(CatalogTables.minus(tables.vips(), items))
        .withPools(
            CatalogTables.changed(
                tables.pools(), pool -> gone.contains(pool.vipId()) ? pool.withVipId(null) : pool));
  }

  @Override
  void check(CatalogSnapshot candidate, Vip vip) throws RejectedException {
    String problem = FieldFormat.portProblem(vip.protocol(), vip.port());
    if (problem != null) {
      throw RejectedException.invalid("port", problem);
    }
    checkSources(vip);
    PlacementRules.checkVip(vip);
    for (Vip other : candidate.vips().values()) {
      if (!other.id().equals(vip.id()) && isSameTraffic(vip, other)) {
        throw RejectedException.conflict(
            "address", "VIP " + other.id() + " has the same address, protocol and port");
      }
    }
    List<Member> members = candidate.membersAt(vip.address());
    if (!members.isEmpty()) {
      throw RejectedException.conflict(
          "address", vip.address() + " is the address of member " + members.get(0).id());
    }
    Optional<Pool> pool = candidate.poolOfVip(vip.id());
    if (pool.isPresent()) {
      PoolKind.checkProtocol(candidate, pool.get());
      PoolKind.checkFamily(candidate, pool.get(), "address");
      PoolKind.checkAddress(candidate, pool.get(), "address");
    }
  }

  private static void checkSources(Vip vip) throws RejectedException {
    SourceNetworks sources = vip.allowedSources();
    IPVersion family = vip.address().getIpVersion();
    if (sources != null && sources.family() != family) {
      throw RejectedException.invalid(
          ALLOWED_SOURCES,
          String.format(
              "%s must be %s networks, because the VIP has the address %s",
              ALLOWED_SOURCES, family, vip.address()));
    }
  }

  /** Only for given VIPs: in a tree of pools or members alone, those are named. */
  @Override
  void checkGiven(CatalogSnapshot candidate, Vip vip, Fields given) throws RejectedException {
    Optional<Pool> pool = candidate.poolOfVip(vip.id());
    if (pool.isPresent()) {
      String changed =
          Stream.of("placement", "port", "protocol")
              .filter(given::has)
              .findFirst()
              .orElse("placement");
      PlacementRules.checkPool(candidate, pool.get(), changed);
      PlacementRules.checkMembers(candidate, pool.get(), changed);
    }
  }

  private static boolean isSameTraffic(Vip one, Vip other) {
    return one.address().equals(other.address())
        && one.protocol() == other.protocol()
        && Objects.equals(one.port(), other.port());
  }
}
