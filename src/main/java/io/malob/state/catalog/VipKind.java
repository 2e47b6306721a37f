package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import io.malob.json.RejectedException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** The rules for VIPs. */
final class VipKind extends CatalogKind<Vip> {
  private final Field<Vip, String> name = field("name", Vip::name, FieldFormat.NAME);
  private final Field<Vip, Protocol> protocol =
      field("protocol", Vip::protocol, FieldFormat.PROTOCOL);
  private final Field<Vip, IPAddress<?>> address =
      required("address", Vip::address, FieldFormat.ADDRESS);
  private final Field<Vip, Integer> vlan =
      field("vlan", item -> FieldFormat.vlanOrNull(item.vlan()), FieldFormat.VLAN);
  private final Field<Vip, Integer> port = field("port", Vip::port, FieldFormat.PORT);
  private final Field<Vip, Algorithm> algorithm =
      field("lb_method", Vip::algorithm, FieldFormat.ALGORITHM);
  private final Field<Vip, SourceNetworks> allowedSources =
      field("allowed_sources", Vip::allowedSources, SourceNetworks.FORMAT);
  private final Field<Vip, Integer> connectionLimit =
      field("connection_limit", Vip::connectionLimit, FieldFormat.CONNECTIONS);
  private final Field<Vip, PlacementMode> placement =
      field(
          "placement",
          Vip::placement,
          FieldFormat.choice(List.of(PlacementMode.values())).shownAs("Placement"),
          PlacementMode.REACTIVE);
  private final Field<Vip, Integer> autoPerSecond =
      field("auto_per_second", Vip::autoPerSecond, FieldFormat.AUTO_PER_SECOND);
  private final Field<Vip, AdminState> adminState =
      field("admin_state", Vip::adminState, FieldFormat.UP_OR_DOWN, AdminState.UP);
  private final Notes.Group<Vip> notes = notes(Vip::notes);

  VipKind() {
    super("VIP", "vips", Vip.MAX_NUMBER, true);
  }

  @Override
  Vip read(FieldReader<Vip> fields) throws RejectedException {
    return new Vip(
        fields.number(),
        fields.id(),
        fields.name(name),
        fields.find(protocol),
        fields.get(address),
        FieldFormat.vlan(fields.find(vlan)),
        fields.find(port),
        fields.find(algorithm),
        fields.find(allowedSources),
        fields.find(connectionLimit),
        fields.get(placement),
        fields.find(autoPerSecond),
        fields.get(adminState),
        notes.read(fields));
  }

  @Override
  int numberOf(Vip vip) {
    return vip.number();
  }

  @Override
  void check(CatalogSnapshot candidate, Vip vip) throws RejectedException {
    FieldFormat.checkPort(vip.protocol(), vip.port());
    checkSources(vip);
    PlacementRules.checkVip(vip);
    for (Vip other : candidate.vips().values()) {
      if (other.address().equals(vip.address()) && other.vlan() != vip.vlan()) {
        throw RejectedException.conflict(
            vlan.name(),
            "VIP "
                + other.id()
                + " has the same address, and all VIPs of an address have one VLAN");
      }
      if (!other.id().equals(vip.id()) && isSameTraffic(vip, other)) {
        throw RejectedException.conflict(
            "address", "VIP " + other.id() + " has the same address, protocol and port");
      }
    }
    checkNoMemberAt(candidate, vip.address());
    Optional<Pool> pool = candidate.poolOfVip(vip.id());
    if (pool.isPresent()) {
      PoolKind.checkProtocol(candidate, pool.get());
      PoolKind.checkFamily(candidate, pool.get(), "address");
      PoolKind.checkAddress(candidate, pool.get(), "address");
    }
  }

  private void checkSources(Vip vip) throws RejectedException {
    SourceNetworks sources = vip.allowedSources();
    IPVersion family = vip.address().getIpVersion();
    if (sources != null && sources.family() != family) {
      throw RejectedException.invalid(
          allowedSources.name(),
          String.format(
              "%s must be %s networks, because the VIP has the address %s",
              allowedSources.name(), family, vip.address()));
    }
  }

  /** Only for given VIPs: in a tree of pools or members alone, those are named. */
  @Override
  void checkGiven(CatalogSnapshot candidate, Vip vip, Fields given) throws RejectedException {
    Optional<Pool> pool = candidate.poolOfVip(vip.id());
    if (pool.isPresent()) {
      String changed =
          Stream.of("placement", "port", "protocol", "vlan")
              .filter(given::has)
              .findFirst()
              .orElse("placement");
      PlacementRules.checkPool(candidate, pool.get(), changed);
      PlacementRules.checkSourceNat(candidate, pool.get(), changed);
      PlacementRules.checkMembers(candidate, pool.get(), changed);
    }
  }

  private static boolean isSameTraffic(Vip one, Vip other) {
    return one.address().equals(other.address())
        && one.protocol() == other.protocol()
        && Objects.equals(one.port(), other.port());
  }
}
