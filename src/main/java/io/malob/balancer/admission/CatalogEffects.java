package io.malob.balancer.admission;

import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import io.malob.balancer.connection.Connection;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The effect of a catalog change on open connections. */
public record CatalogEffects(CatalogSnapshot before, CatalogSnapshot after) {
  /**
   * The old VIPs whose connections must be closed: those that were deleted or now have another
   * number, address, VLAN, protocol or port.
   */
  public List<Vip> endedVips() {
    return changed(before.vips().values(), after.vips(), Vip::id, CatalogEffects::sameTraffic);
  }

  /**
   * The old members whose connections must be closed: those that were deleted, were moved to
   * another address, VLAN, port or pool, or went DOWN.
   */
  public List<Member> endedMembers() {
    return changed(
        before.members().values(), after.members(), Member::id, CatalogEffects::samePlace);
  }

  /** The addresses that are of VIPs now, and were of none in their VLAN before. */
  public Set<IPAddress<?>> newVipAddresses() {
    return after.vips().values().stream()
        .filter(vip -> !before.isVipAddress(vip.address(), vip.vlan()))
        .<IPAddress<?>>map(Vip::address)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  public boolean isOfVips() {
    return !before.vips().equals(after.vips());
  }

  /**
   * Matches the connections of clients that are no longer allowed; empty if no VIP has changed the
   * clients that it allows.
   */
  public Optional<Predicate<Connection>> denied() {
    Map<Integer, Vip> stricter =
        Maps.uniqueIndex(Iterables.filter(after.vips().values(), this::allowsOthers), Vip::number);
    return stricter.isEmpty()
        ? Optional.empty()
        : Optional.of(
            connection -> {
              @Nullable Vip vip = stricter.get(connection.vipNumber());
              return vip != null && !vip.allows(connection.request().srcAddress());
            });
  }

  private boolean allowsOthers(Vip vip) {
    @Nullable Vip old = before.vips().get(vip.id());
    return old != null && !Objects.equals(old.allowedSources(), vip.allowedSources());
  }

  private static <T> List<T> changed(
      Collection<T> before, Map<String, T> after, Function<T, String> id, BiPredicate<T, T> same) {
    return before.stream()
        .filter(
            old -> {
              @Nullable T now = after.get(id.apply(old));
              return now == null || !same.test(old, now);
            })
        .toList();
  }

  /** Whether the connections of a changed VIP can stay open. */
  private static boolean sameTraffic(Vip before, Vip after) {
    return before.number() == after.number()
        && before.address().equals(after.address())
        && before.vlan() == after.vlan()
        && before.protocol() == after.protocol()
        && Objects.equals(before.port(), after.port());
  }

  /** Whether the connections of a changed member can stay open. */
  private static boolean samePlace(Member before, Member after) {
    return before.number() == after.number()
        && before.address().equals(after.address())
        && before.vlan() == after.vlan()
        && Objects.equals(before.port(), after.port())
        && Objects.equals(before.poolId(), after.poolId())
        && (after.adminState() != AdminState.DOWN || before.adminState() == AdminState.DOWN);
  }
}
