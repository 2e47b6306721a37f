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
 * Everything that the placement of connections to a VIP's port depends on, except their client. A
 * first packet needs one lookup for it: {@link BalancerView#plan}. Immutable, except that profile
 * and tally continue to count.
 *
 * @param vip the VIP, with its limit and its allowed sources
 * @param pool its pool
 * @param members the eligible members of the pool
 * @param membersExpected the number of members that may soon be eligible, including new ones before
 *     their first check
 * @param choice the algorithm and its origin
 * @param placer the algorithm's placer for these members
 * @param isFtpControl whether connections are FTP control connections, which their data connections
 *     follow
 * @param mayFollowControl whether a connection may be an FTP data connection: it follows the
 *     client's control connection, if there is one
 * @param profile the profile learned from earlier connections; new ones update it
 * @param tally counts the outcomes of placements
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

  /** The counters and profiles that plans share with earlier views. Thread-safe. */
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

    /** The profile of connections to a service of a VIP. */
    ServiceProfile profile(Vip vip, Service service, boolean isFtpControl);

    /** The tally of connections to a service by an algorithm. */
    PlacementCounts.Tally tally(Service service, Algorithm algorithm);
  }
}
