package io.malob.balancer.view;

import io.malob.algorithm.health.Health;
import io.malob.state.catalog.AlgorithmChoice;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The plans of a view. Each is created when a packet first needs it, because a VIP without a port
 * has one plan for each entry of the services table. Thread-safe; takes no lock for an existing
 * plan.
 */
final class ServicePlans {
  private static final int FTP_CONTROL_PORT = 21;

  private final ServicePlan.Counters counters;
  private final Map<Key, ServicePlan> plans = new ConcurrentHashMap<>();

  private record Key(int vipNumber, Protocol protocol, String serviceId) {}

  ServicePlans(ServicePlan.Counters counters) {
    this.counters = counters;
  }

  /** The plan for a port of a VIP; null if the VIP has no pool. */
  @Nullable ServicePlan find(BalancerView view, Vip vip, Protocol protocol, int port) {
    Service service = view.catalog().serviceFor(protocol, port);
    Key key = new Key(vip.number(), protocol, service.id());
    @Nullable ServicePlan known = plans.get(key);
    if (known != null) {
      return known;
    }
    Optional<Pool> pool = view.catalog().poolOfVip(vip.id());
    return pool.isEmpty()
        ? null
        : plans.computeIfAbsent(key, any -> make(view, vip, pool.get(), protocol, port));
  }

  private ServicePlan make(BalancerView view, Vip vip, Pool pool, Protocol protocol, int port) {
    Service service = view.catalog().serviceFor(protocol, port);
    AlgorithmChoice choice = view.catalog().choiceFor(vip, pool, protocol, port);
    PoolView members = view.pool(pool);
    boolean carriesFtp = vip.port() == null && protocol == Protocol.TCP;
    boolean isFtpControl = carriesFtp && !service.isDefault() && port == FTP_CONTROL_PORT;
    return new ServicePlan(
        vip,
        pool,
        members,
        membersExpected(view, pool),
        choice,
        members.placer(choice.algorithm()),
        isFtpControl,
        carriesFtp && service.isDefault(),
        counters.profile(vip, service, isFtpControl),
        counters.tally(service, choice.algorithm()));
  }

  private static int membersExpected(BalancerView view, Pool pool) {
    if (view.catalog().isDown(pool)) {
      return 0;
    }
    return (int)
        view.catalog().membersOfPool(pool.id()).stream()
            .filter(Member::takesNew)
            .map(view::health)
            .filter(health -> health.takesConnections() || health == Health.CHECKING)
            .count();
  }
}
