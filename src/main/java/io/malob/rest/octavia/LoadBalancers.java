package io.malob.rest.octavia;

import com.google.common.collect.ImmutableList;
import io.malob.json.RejectedException;
import io.malob.rest.octavia.Attributes.When;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Load balancers: those of the catalog, and one for each other address of VIPs. The first change
 * stores the latter.
 */
final class LoadBalancers extends ObjectType<LoadBalancer> {
  private static final Attributes<LoadBalancer> ATTRIBUTES =
      new Attributes<>(Catalog.LOAD_BALANCERS)
          .hidden(When.NEW, "provider")
          .renamed(When.NEW, "vip_address", "address")
          .kept(When.ANY, "project_id")
          .kept(When.NEW, "vip_subnet_id")
          .kept(When.NEW, "vip_network_id")
          .kept(When.NEW, "vip_port_id")
          .kept(When.ANY, "vip_qos_policy_id")
          .kept(When.NEW, "flavor_id")
          .shown("vip_vnic_type", (balancer, view) -> "normal")
          .refused(
              "there are no security groups; listeners have allowed_cidrs",
              ImmutableList.of(),
              "vip_sg_ids")
          .refused(
              "a load balancer has one address; another one takes the second",
              ImmutableList.of(),
              "additional_vips")
          .refused("there are no availability zones", null, "availability_zone")
          .shown("provider", (balancer, view) -> Offered.PROVIDER)
          .given(
              When.NEW,
              "listeners",
              (balancer, view) ->
                  View.references(view.balancers().vips(balancer).stream().map(Vip::id)))
          .given(
              When.NEW,
              "pools",
              (balancer, view) ->
                  View.references(view.balancers().pools(balancer).stream().map(Pool::id)))
          .filteredBy(
              "vip_address",
              "vip_port_id",
              "vip_subnet_id",
              "vip_network_id",
              "vip_qos_policy_id",
              "provider",
              "flavor_id",
              "availability_zone");

  LoadBalancers() {
    super("loadbalancer", Catalog.LOAD_BALANCERS, ATTRIBUTES);
  }

  @Override
  Collection<LoadBalancer> all(CatalogSnapshot catalog) {
    return new BalancerIndex(catalog).all();
  }

  @Override
  Optional<LoadBalancer> find(CatalogSnapshot catalog, String id) {
    return new BalancerIndex(catalog).find(id);
  }

  /** Makes sure that the catalog has it. */
  static LoadBalancer stored(CatalogDraft draft, LoadBalancer balancer) throws RejectedException {
    @Nullable LoadBalancer there = draft.snapshot().loadBalancers().get(balancer.id());
    return there != null
        ? there
        : draft.create(
            Catalog.LOAD_BALANCERS,
            Fields.of(
                "id", balancer.id(),
                "name", balancer.name(),
                "address", balancer.address().toString()));
  }

  @Override
  String attribute(String field) {
    return field.equals("address") ? "vip_address" : super.attribute(field);
  }

  @Override
  String create(CatalogDraft draft, Body body) throws RejectedException {
    @Nullable String provider = body.text("provider");
    if (provider != null && !provider.equals(Offered.PROVIDER)) {
      throw RejectedException.invalid("provider", "the only provider is " + Offered.PROVIDER);
    }
    @Nullable String flavor = body.text("flavor_id");
    if (flavor != null) {
      throw RejectedException.invalid("flavor_id", "there is no flavor " + flavor);
    }
    if (body.text("vip_address") == null) {
      throw RejectedException.invalid(
          "vip_address", "vip_address is required: there is no network service that assigns one");
    }
    LoadBalancer made = draft.create(Catalog.LOAD_BALANCERS, changesOfNew(body, Map.of()).fields());
    Pools pools = new Pools();
    for (Body pool : body.objects("pools")) {
      pools.checkNew(pool);
      pools.create(draft, pool, made, null);
    }
    Listeners listeners = new Listeners();
    for (Body listener : body.objects("listeners")) {
      listeners.checkNew(listener);
      listeners.create(draft, listener, made);
    }
    return made.id();
  }

  @Override
  void update(CatalogDraft draft, LoadBalancer balancer, Body body) throws RejectedException {
    draft.update(
        Catalog.LOAD_BALANCERS,
        stored(draft, balancer).id(),
        changes(body).externalId(balancer.notes(), "vip_qos_policy_id").fields());
  }

  @Override
  void delete(CatalogDraft draft, LoadBalancer balancer, boolean cascade) throws RejectedException {
    BalancerIndex now = new BalancerIndex(draft.snapshot());
    List<Vip> vips = now.vips(balancer);
    List<Pool> pools = now.pools(balancer);
    if (!cascade && !(vips.isEmpty() && pools.isEmpty())) {
      throw RejectedException.conflict(
          null,
          String.format(
              "load balancer %s has listeners or pools; delete them first, or cascade",
              balancer.id()));
    }
    Pools.deleteAll(draft, pools);
    draft.deleteAll(Catalog.VIPS, vips.stream().map(Vip::id).toList());
    if (draft.snapshot().loadBalancers().containsKey(balancer.id())) {
      draft.delete(Catalog.LOAD_BALANCERS, balancer.id());
    }
  }
}
