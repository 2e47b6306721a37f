package io.malob.cluster;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.election.Election;
import io.malob.cluster.election.GenerationIds;
import io.malob.cluster.etcd.HttpEtcd;
import io.malob.cluster.peer.PeerListeners;
import io.malob.cluster.peer.PeerStreams;
import io.malob.module.BaseModule;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.module.IMastershipService;
import io.malob.module.IPeerService;
import io.malob.module.IStoreService;
import io.malob.module.MastershipPolicy;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.module.PeerTraffic;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.StoreModule;
import io.malob.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.floodlightcontroller.core.IShutdownListener;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This controller's part in a cluster: the connection to etcd, the store that all controllers
 * share, and the election of the switches' masters. The embedded controller loads it in the place
 * of {@link StoreModule} if etcd's endpoints are set.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class ClusterModule extends BaseModule
    implements IStoreService, IClusterService, IPeerService, IShutdownListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterModule.class);

  private static final long ELECTION_MILLIS = 100;
  private static final long RESTORATION_MILLIS = 1_000;

  /** The exit status if the controller may not join the cluster. */
  private static final int FAILED = 1;

  /** The max time for a hand-over: the election itself gives it a second. */
  private static final long HAND_OVER_MILLIS = 1_500;

  private static final long LEAVING_MILLIS = 1_000;

  /** Before a controller starts anew, REST may still answer the request that has handed over. */
  private static final long ANSWER_MILLIS = 500;

  /** A live controller that is not reached for so long is a problem. */
  private static final Duration UNREACHED = Duration.ofSeconds(5);

  /** For documents with a file of their own. */
  private final StoreModule files = new StoreModule();

  /** By data directory. */
  private final Map<String, EtcdStore> stores = new ConcurrentHashMap<>();

  /** Here from the start: other modules may be prepared before this one. */
  private final PeerListeners peerListeners = new PeerListeners();

  private ClusterSettings cluster;
  private HttpEtcd etcd;
  private PeerStreams peers;
  private Restoration restoration;
  private EtcdUpkeep upkeep;
  private Election election;
  private ScheduledExecutorService pool;
  private StartWait startWait;

  @Override
  public List<Setting<?>> settings() {
    return ClusterSettings.ALL;
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IThreadPoolService.class, IMastershipService.class, IShutdownService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    files.init(context);
    cluster = ClusterSettings.read(settings);
    etcd = new HttpEtcd(cluster.access());
    peers = cluster.openPeerPort(peerListeners);
    pool = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    election =
        new Election(
            etcd,
            cluster.thisNode(peers.contact()),
            cluster.lease(),
            MoreExecutors.newSequentialExecutor(pool),
            System::nanoTime);
    election.relayOver(this);
    startWait = new StartWait(cluster.access().shown(), cluster.maxStart());
    upkeep = new EtcdUpkeep(etcd::revision, etcd::compact, etcd::space, System::nanoTime);
    restoration = new Restoration(etcd, etcd.history(), pool);
    LOG.info(
        "cluster_configured node={} prefix=\"{}\" etcd=\"{}\"",
        cluster.node(),
        cluster.access().prefix(),
        cluster.access().shown());
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    files.startUp(context);
    Repetition repetition = new Repetition(pool);
    begin(context, repetition);
    repetition.every(RESTORATION_MILLIS, "watching for lost changes of etcd", restoration::tick);
    repetition.every(
        RESTORATION_MILLIS,
        "reading documents that etcd has not answered",
        () -> stores.values().forEach(EtcdStore::tick));
    repetition.every(EtcdUpkeep.TICK_MILLIS, "the upkeep of etcd", upkeep::tick);
  }

  /**
   * Joins the cluster, and decides about roles from now on; before switches may connect. If another
   * live controller has the name, or the cluster has another policy, the controller stops.
   */
  private void begin(FloodlightModuleContext context, Repetition repetition) {
    IShutdownService shutdown = context.getServiceImpl(IShutdownService.class);
    shutdown.registerShutdownListener(this);
    context.getServiceImpl(IMastershipService.class).decideBy(election);
    repetition.every(ELECTION_MILLIS, "the election of masters", election::tick);
    election.followPeers(peers::follow);
    election.followPeerKey(key -> peers.useKey(key, election));
    election.whenSteppedDown(() -> startAnew(shutdown));
    var unused =
        election
            .start()
            .exceptionally(
                problem -> {
                  String why = String.valueOf(problem.getMessage());
                  LOG.error("cluster_not_joined why=\"{}\"", why);
                  shutdown.terminate(why, FAILED);
                  return null;
                });
  }

  /** What it knows of connections and labels is that of a former master: it is read anew. */
  private void startAnew(IShutdownService shutdown) {
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

  /** The documents of the cluster; no controller has any of its own. */
  @Override
  public Store inDirectory(String data) {
    return stores.computeIfAbsent(
        data,
        any ->
            new EtcdStore(
                etcd,
                etcd.history(),
                cluster.access().prefix(),
                data.isEmpty() ? Optional.empty() : Optional.of(Path.of(data).toAbsolutePath()),
                pool,
                startWait));
  }

  @Override
  public Store inFile(Path file) {
    return files.inFile(file);
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
    ClusterView view = election.view().withReached(peers::isReached);
    for (ClusterView.Member node : view.nodes()) {
      if (peers.unreached(node.name()).filter(time -> time.compareTo(UNREACHED) >= 0).isPresent()) {
        view =
            view.with(
                new ClusterView.Problem(
                    ClusterView.Problem.Kind.PEER_NOT_REACHED,
                    "Controller " + node.name() + " is not reached."));
      }
    }
    return Optional.of(upkeep.withProblem(restoration.withProblem(view)));
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
    return election.raiseBase(GenerationIds.later(minimum, restoration.acceptingBase()));
  }

  @Override
  public void listen(PeerTopic topic, PeerListener listener) {
    peerListeners.add(topic, listener);
  }

  @Override
  public boolean send(String peer, PeerTopic topic, byte[] message) {
    return peers.send(peer, topic, message);
  }

  @Override
  public ImmutableSet<String> reached() {
    return peers.reached();
  }

  @Override
  public PeerTraffic traffic() {
    return peers.traffic();
  }

  /** Hands this controller's switches over first, and leaves the cluster. */
  @Override
  public void floodlightIsShuttingDown() {
    await("handing over", election.handOver(true), HAND_OVER_MILLIS);
    await("leaving the cluster", election.leave(), LEAVING_MILLIS);
  }

  private static void await(String what, Future<?> done, long millis) {
    try {
      done.get(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("cluster_not_left what=\"{}\" - its keys end with its lease", what);
    }
  }

  @Override
  public void close() {
    if (election != null) {
      peers.close();
    }
    stores.values().forEach(EtcdStore::close);
    if (etcd != null) {
      etcd.close();
    }
    files.close();
  }
}
