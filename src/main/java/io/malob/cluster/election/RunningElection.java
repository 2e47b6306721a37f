package io.malob.cluster.election;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.peer.PeerStreams;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.module.IMastershipService;
import io.malob.module.IPeerService;
import io.malob.module.MastershipPolicy;
import io.malob.module.Repetition;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.floodlightcontroller.core.IShutdownListener;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller's election, on the shared pool. When the controller stops, it hands its switches
 * over first, and leaves the cluster.
 */
public final class RunningElection implements IClusterService, IShutdownListener, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(RunningElection.class);
  private static final long TICK_MILLIS = 100;

  /** The exit status if the controller may not join the cluster. */
  private static final int FAILED = 1;

  /** The max time for a hand-over: the election itself gives it a second. */
  private static final long HAND_OVER_MILLIS = 1_500;

  private static final long LEAVING_MILLIS = 1_000;

  /** Before a controller starts anew, REST may still answer the request that has handed over. */
  private static final long ANSWER_MILLIS = 500;

  /** A live controller that is not reached for so long is a problem. */
  private static final Duration UNREACHED = Duration.ofSeconds(5);

  private final Election election;
  private final PeerStreams peers;

  /**
   * An election that begins with {@link #start}.
   *
   * @param self this controller
   * @param peers started and closed with the election
   */
  public RunningElection(
      Etcd etcd,
      ThisNode self,
      PeerStreams peers,
      Duration lease,
      FloodlightModuleContext context) {
    this.peers = peers;
    ScheduledExecutorService pool = pool(context);
    election =
        new Election(
            etcd, self, lease, MoreExecutors.newSequentialExecutor(pool), System::nanoTime);
  }

  /** Uses these streams in hand-overs; to be called before {@link #start}. */
  public void relayOver(IPeerService streams) {
    election.relayOver(streams);
  }

  private static ScheduledExecutorService pool(FloodlightModuleContext context) {
    return context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
  }

  /**
   * Joins the cluster, and decides about roles from now on; before switches may connect. If another
   * live controller has the name, or the cluster has another policy, the controller stops.
   */
  public void start(FloodlightModuleContext context) {
    IShutdownService shutdown = context.getServiceImpl(IShutdownService.class);
    shutdown.registerShutdownListener(this);
    context.getServiceImpl(IMastershipService.class).decideBy(election);
    new Repetition(pool(context)).every(TICK_MILLIS, "the election of masters", election::tick);
    election.followPeers(peers::follow);
    election.followPeerKey(key -> peers.useKey(key, election));
    election.whenSteppedDown(() -> startAnew(shutdown, pool(context)));
    var unused =
        election
            .start()
            .exceptionally(
                problem -> {
                  String why = String.valueOf(problem.getMessage());
                  logger.error("cluster_not_joined why=\"{}\"", why);
                  shutdown.terminate(why, FAILED);
                  return null;
                });
  }

  /** What it knows of connections and labels is that of a former master: it is read anew. */
  private static void startAnew(IShutdownService shutdown, ScheduledExecutorService pool) {
    var unused =
        pool.schedule(
            () ->
                shutdown.terminate(
                    "another controller is master of all switches; this one starts anew, and stands"
                        + " by",
                    IMastershipService.START_ANEW),
            ANSWER_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public String name() {
    return election.name();
  }

  @Override
  public Optional<String> masterOf(DatapathId switchId) {
    return election.masterOf(switchId);
  }

  @Override
  public Optional<ClusterView> view() {
    ClusterView view = election.view();
    ImmutableList.Builder<ClusterView.Member> nodes = ImmutableList.builder();
    ImmutableList.Builder<ClusterView.Problem> problems = ImmutableList.builder();
    problems.addAll(view.problems());
    for (ClusterView.Member node : view.nodes()) {
      boolean isReached = node.name().equals(view.name()) || peers.isReached(node.name());
      nodes.add(
          new ClusterView.Member(
              node.name(), node.restAddress(), node.slot(), node.switches(), isReached));
      peers
          .unreached(node.name())
          .filter(duration -> duration.compareTo(UNREACHED) >= 0)
          .ifPresent(
              duration ->
                  problems.add(
                      new ClusterView.Problem(
                          ClusterView.Problem.Kind.PEER_NOT_REACHED,
                          "Controller " + node.name() + " is not reached.")));
    }
    return Optional.of(
        new ClusterView(
            view.name(),
            view.isMember(),
            view.slot(),
            view.generationBase(),
            view.mastership(),
            nodes.build(),
            view.masters(),
            view.roles(),
            problems.build()));
  }

  @Override
  public Optional<ClusterView> electionView() {
    return Optional.of(election.view());
  }

  @Override
  public int partOf(int limit) {
    return election.partOf(limit);
  }

  @Override
  public CompletableFuture<Integer> handOver() {
    return election.handOver(false);
  }

  @Override
  public CompletableFuture<MastershipPolicy> setMastership(MastershipPolicy policy) {
    return election.setMastership(policy);
  }

  @Override
  public CompletableFuture<Long> raiseBase(long minimum) {
    return election.raiseBase(minimum);
  }

  @Override
  public void floodlightIsShuttingDown() {
    await("handing over", election.handOver(true), HAND_OVER_MILLIS);
    await("leaving the cluster", election.leave(), LEAVING_MILLIS);
  }

  /** Closes the streams between controllers. */
  @Override
  public void close() {
    peers.close();
  }

  private static void await(String what, Future<?> done, long millis) {
    try {
      done.get(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      logger.warn("cluster_not_left what=\"{}\" - its keys end with its lease", what);
    }
  }
}
