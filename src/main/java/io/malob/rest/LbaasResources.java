package io.malob.rest;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.malob.balancer.api.IBalancerService;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The catalog as OpenStack's users know it (Octavia v2): what of that maps, and no more. A load
 * balancer is an address that VIPs have, and so comes and goes with them. Safe for use by several
 * threads.
 */
final class LbaasResources implements Resources {
  private final IBalancerService balancer;
  private final CatalogWrites writes;
  private final LbaasCollection<Vip> listeners;
  private final LbaasCollection<Pool> pools;

  LbaasResources(IBalancerService balancer) {
    this.balancer = balancer;
    this.writes = new CatalogWrites(balancer);
    listeners = new LbaasCollection<>(balancer, new LbaasListener(), null);
    pools = new LbaasCollection<>(balancer, new LbaasPool(), null);
  }

  @Override
  public Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException {
    return answer(new Call(method, path, query, name -> Optional.empty(), body));
  }

  @Override
  public Reply answer(Call call) throws IOException, RefusedException {
    return writes.answer(call, this::answerAtOnce);
  }

  private Reply answerAtOnce(Call call) throws IOException, RefusedException {
    List<String> path = call.path();
    String first = path.isEmpty() ? "" : path.get(0);
    if (first.equals("loadbalancers") && path.size() <= 2) {
      return loadBalancers(call);
    } else if (first.equals("listeners") && path.size() <= 2) {
      return path.size() == 1 ? listeners.all(call) : listeners.one(call, path.get(1));
    } else if (first.equals("pools") && path.size() <= 2) {
      return path.size() == 1 ? pools.all(call) : pools.one(call, path.get(1));
    } else if (first.equals("pools") && path.get(2).equals("members") && path.size() <= 4) {
      return members(call);
    }
    throw new RefusedException(
        404,
        "there is nothing at /"
            + String.join("/", path)
            + " here, only loadbalancers, listeners, pools and pools/ID/members",
        null);
  }

  private Reply members(Call call) throws IOException, RefusedException {
    List<String> path = call.path();
    if (!balancer.catalog().snapshot().pools().containsKey(path.get(1))) {
      throw new RefusedException(404, "there is no pool " + path.get(1), null);
    }
    LbaasCollection<?> members = new LbaasCollection<>(balancer, new LbaasMember(), path.get(1));
    return path.size() == 3 ? members.all(call) : members.one(call, path.get(3));
  }

  private Reply loadBalancers(Call call) throws RefusedException {
    if (!call.method().equals("GET")) {
      throw RefusedException.method(call.method(), "GET");
    }
    CatalogSnapshot now = balancer.catalog().snapshot();
    LbaasStatus status = new LbaasStatus(now, balancer.memberStats());
    ImmutableListMultimap<String, Vip> byAddress =
        Multimaps.index(now.vips().values(), vip -> vip.address().toString());
    if (call.path().size() == 1) {
      return Page.of(call.query())
          .of(
              byAddress.keySet(),
              address -> address,
              address -> shown(address, byAddress.get(address), now, status))
          .map(list -> Map.of("loadbalancers", list));
    }
    call.checkNoParameters();
    String address = call.path().get(1);
    if (!byAddress.containsKey(address)) {
      throw new RefusedException(404, "there is no loadbalancer " + address, null);
    }
    return Reply.ok(Map.of("loadbalancer", shown(address, byAddress.get(address), now, status)));
  }

  private static Object shown(
      String address, Collection<Vip> vips, CatalogSnapshot now, LbaasStatus status) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", address);
    shown.put("name", address);
    shown.put("vip_address", address);
    shown.put(
        "listeners",
        LbaasFormat.references(vips.stream().map(Vip::id).collect(Collectors.toList())));
    shown.put(
        "pools",
        LbaasFormat.references(
            vips.stream()
                .flatMap(vip -> now.poolOfVip(vip.id()).stream())
                .map(Pool::id)
                .collect(Collectors.toList())));
    shown.put("provider", "malob");
    shown.put("admin_state_up", true);
    shown.put("provisioning_status", "ACTIVE");
    shown.put("operating_status", status.of(vips));
    return shown;
  }
}
