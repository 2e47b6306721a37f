package io.malob.state.catalog;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The stored content of a catalog, without indexes. Immutable; each map is by id, in the order in
 * which the items were created.
 *
 * @param lastVipNumber the last number given to a VIP; 0 if there is none
 * @param lastMemberNumber the last number given to a member; 0 if there is none
 */
record CatalogTables(
    Map<String, LoadBalancer> loadBalancers,
    Map<String, Vip> vips,
    Map<String, Pool> pools,
    Map<String, Member> members,
    Map<String, Service> services,
    Map<String, Monitor> monitors,
    int lastVipNumber,
    int lastMemberNumber) {

  /** The content of a new catalog: the default services table. */
  static CatalogTables empty() {
    Map<String, Service> services = Map.of();
    for (Service service : Service.shipped()) {
      services = plus(services, service);
    }
    return new CatalogTables(Map.of(), Map.of(), Map.of(), Map.of(), services, Map.of(), 0, 0);
  }

  CatalogTables withLoadBalancers(Map<String, LoadBalancer> newLoadBalancers) {
    return new CatalogTables(
        newLoadBalancers,
        vips,
        pools,
        members,
        services,
        monitors,
        lastVipNumber,
        lastMemberNumber);
  }

  CatalogTables withVips(Map<String, Vip> newVips) {
    return new CatalogTables(
        loadBalancers,
        newVips,
        pools,
        members,
        services,
        monitors,
        lastVipNumber,
        lastMemberNumber);
  }

  CatalogTables withPools(Map<String, Pool> newPools) {
    return new CatalogTables(
        loadBalancers,
        vips,
        newPools,
        members,
        services,
        monitors,
        lastVipNumber,
        lastMemberNumber);
  }

  CatalogTables withMembers(Map<String, Member> newMembers) {
    return new CatalogTables(
        loadBalancers,
        vips,
        pools,
        newMembers,
        services,
        monitors,
        lastVipNumber,
        lastMemberNumber);
  }

  CatalogTables withServices(Map<String, Service> newServices) {
    return new CatalogTables(
        loadBalancers,
        vips,
        pools,
        members,
        newServices,
        monitors,
        lastVipNumber,
        lastMemberNumber);
  }

  CatalogTables withMonitors(Map<String, Monitor> newMonitors) {
    return new CatalogTables(
        loadBalancers,
        vips,
        pools,
        members,
        services,
        newMonitors,
        lastVipNumber,
        lastMemberNumber);
  }

  CatalogTables withLastVipNumber(int number) {
    return new CatalogTables(
        loadBalancers, vips, pools, members, services, monitors, number, lastMemberNumber);
  }

  CatalogTables withLastMemberNumber(int number) {
    return new CatalogTables(
        loadBalancers, vips, pools, members, services, monitors, lastVipNumber, number);
  }

  /** The map with the item added at its end, or replaced if the id exists. */
  static <T extends CatalogItem> Map<String, T> plus(Map<String, T> items, T item) {
    Map<String, T> copy = new LinkedHashMap<>(items);
    copy.put(item.id(), item);
    return Collections.unmodifiableMap(copy);
  }

  /** The same for many items. */
  static <T extends CatalogItem> Map<String, T> plus(Map<String, T> items, Collection<T> more) {
    Map<String, T> copy = new LinkedHashMap<>(items);
    more.forEach(item -> copy.put(item.id(), item));
    return Collections.unmodifiableMap(copy);
  }

  /** The map without these items. */
  static <T extends CatalogItem> Map<String, T> minus(Map<String, T> items, Collection<T> fewer) {
    Map<String, T> copy = new LinkedHashMap<>(items);
    fewer.forEach(item -> copy.remove(item.id()));
    return Collections.unmodifiableMap(copy);
  }

  /** The map with each item changed; the same map if no item changes. */
  static <T extends CatalogItem> Map<String, T> changed(
      Map<String, T> items, UnaryOperator<T> change) {
    Map<String, T> copy = new LinkedHashMap<>(items);
    copy.replaceAll((id, item) -> change.apply(item));
    return copy.equals(items) ? items : Collections.unmodifiableMap(copy);
  }

  static Set<String> ids(Collection<? extends CatalogItem> items) {
    return items.stream().map(CatalogItem::id).collect(Collectors.toSet());
  }
}
