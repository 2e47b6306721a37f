package io.malob.state.catalog;

import io.malob.json.RejectedException;
import org.projectfloodlight.openflow.types.IPAddress;

/** The rules for load balancers. */
final class LoadBalancerKind extends CatalogKind<LoadBalancer> {
  private final Field<LoadBalancer, String> name =
      field("name", LoadBalancer::name, FieldFormat.NAME);
  private final Field<LoadBalancer, IPAddress<?>> address =
      required("address", LoadBalancer::address, FieldFormat.ADDRESS);
  private final Field<LoadBalancer, AdminState> adminState =
      field("admin_state", LoadBalancer::adminState, FieldFormat.UP_OR_DOWN, AdminState.UP);
  private final Notes.Group<LoadBalancer> notes = notes(LoadBalancer::notes);

  LoadBalancerKind() {
    super("load balancer", "load_balancers", Vip.MAX_NUMBER, false);
  }

  @Override
  LoadBalancer read(FieldReader<LoadBalancer> fields) throws RejectedException {
    return new LoadBalancer(
        fields.id(),
        fields.name(name),
        fields.get(address),
        fields.get(adminState),
        notes.read(fields));
  }

  @Override
  void check(CatalogSnapshot candidate, LoadBalancer balancer) throws RejectedException {
    for (LoadBalancer other : candidate.loadBalancers().values()) {
      if (!other.id().equals(balancer.id()) && other.address().equals(balancer.address())) {
        throw RejectedException.conflict(
            "address", "load balancer " + other.id() + " has the same address");
      }
    }
    checkNoMemberAt(candidate, balancer.address());
    for (Pool pool : candidate.pools().values()) {
      if (balancer.id().equals(pool.loadBalancerId())) {
        PoolKind.checkAddress(candidate, pool, "address");
      }
    }
  }
}
