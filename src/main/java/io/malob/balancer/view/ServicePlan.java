package io.malob.balancer.view;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Placer;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.balancer.api.PlacementCounts;
import io.malob.state.catalog.AlgorithmChoice;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;

/**
 * All that decides where connections to a VIP's port go and that does not depend on their client. A
 * first packet needs one lookup for it: {@link BalancerView#plan}. Immutable; profile and tally go
 * on counting.
 *
 * @param vip the VIP, with its limit and its allowed sources
 * @param pool its pool
 * @param members the members of the pool that can be chosen
 * @param membersExpected how many can be there in a moment: a new one may pass its first check
 * @param choice the algorithm, and what names it
 * @param placer that algorithm over these members
 * @param isFtpControl whether connections are control connections of FTP, whose data connections
 *     follow them
 * @param mayFollowControl whether a connection may be a data connection of FTP: it follows the
 *     client's control connection, if there is one
 * @param profile what was learnt from earlier connections, and learns from new ones
 * @param tally counts what becomes of them
 */
public record ServicePlan(
    Vip vip,
    Pool pool,
    PoolView members,
    int membersExpected,
    AlgorithmChoice choice,
    Placer placer,
    boolean isFtpControl,
    boolean mayFollowControl,
    ServiceProfile profile,
    PlacementCounts.Tally tally) {

  /** What plans share with those of earlier views. Thread-safe. */
  public interface Counters {
    /** Counters that are not shown. */
    Counters NONE =
        new Counters() {
          @Override
          public ServiceProfile profile(Vip vip, Service service, boolean isFtpControl) {
            return new ServiceProfile();
          }

          @Override
          public PlacementCounts.Tally tally(Service service, Algorithm algorithm) {
            return new PlacementCounts.Tally();
          }
        };

    /** What connections to a service of a VIP learn and are placed by. */
    ServiceProfile profile(Vip vip, Service service, boolean isFtpControl);

    /** What counts connections to a service by an algorithm. */
    PlacementCounts.Tally tally(Service service, Algorithm algorithm);
  }
}
