package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for load balancers. */
final class LoadBalancerKind extends CatalogKind<LoadBalancer> {
  LoadBalancerKind() {
    super(
        "load balancer",
        "load_balancers",
        Vip.MAX_NUMBER,
        "id",
        "name",
        "address",
        "admin_state",
        Notes.DESCRIPTION,
        Notes.TAGS,
        Notes.EXTERNAL_IDS);
  }

  @Override
  public Map<String, LoadBalancer> in(CatalogSnapshot snapshot) {
    return snapshot.loadBalancers();
  }

  @Override
  LoadBalancer read(FieldReader fields, String id, int number, @Nullable LoadBalancer current)
      throws RejectedException {
    return new LoadBalancer(
        id,
        fields.name(current == null ? null : current.name(), id),
        fields.required(
            "address", current == null ? null : current.address(), FieldFormat::address),
        fields.optional(
            "admin_state",
            current == null ? null : current.adminState(),
            FieldFormat::upOrDown,
            AdminState.UP),
        Notes.read(fields, current == null ? null : current.notes()));
  }

  @Override
  CatalogTables with(CatalogTables tables, Collection<LoadBalancer> items, int lastNumber) {
    return tables.withLoadBalancers(CatalogTables.plus(tables.loadBalancers(), items));
  }

  @Override
  CatalogTables without(CatalogTables tables, Collection<LoadBalancer> items) {
    Set<@Nullable String> gone = new HashSet<>(CatalogTables.ids(items));
    return tables
        .withLoadBalancers(CatalogTables.minus(tables.loadBalancers(), items))
        .withPools(
            CatalogTables.changed(
                tables.pools(),
                pool -> gone.contains(pool.loadBalancerId()) ? pool.withoutLoadBalancer() : pool));
  }

  @Override
  void check(CatalogSnapshot candidate, LoadBalancer balancer) throws RejectedException {
    for (LoadBalancer other : candidate.loadBalancers().values()) {
      if (!other.id().equals(balancer.id()) && other.address().equals(balancer.address())) {
        throw RejectedException.conflict(
            "address", "load balancer " + other.id() + " has the same address");
      }
    }
    List<Member> members = candidate.membersAt(balancer.address());
    if (!members.isEmpty()) {
      throw RejectedException.conflict(
          "address", balancer.address() + " is the address of member " + members.get(0).id());
    }
    for (Pool pool : candidate.pools().values()) {
      if (balancer.id().equals(pool.loadBalancerId())) {
        PoolKind.checkAddress(candidate, pool, "address");
      }
    }
  }
}
