package io.malob.cluster;

import com.google.common.collect.ImmutableSet;
import io.malob.cluster.election.GenerationIds;
import io.malob.cluster.election.RunningElection;
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
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.module.StoreModule;
import io.malob.store.Store;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This controller's part in a cluster: the connection to etcd, the store that all controllers
 * share, and the election of the switches' masters. The embedded controller loads it in the place
 * of {@link StoreModule} if {@code endpoints} is set.
 */
@Settings({
  "endpoints",
  "name",
  "prefix",
  "leaseSeconds",
  "startSeconds",
  "mastership",
  "weight",
  "restAddress",
  "peerHost",
  "caFile",
  "certificateFile",
  "keyFile",
  "user",
  "passwordFile"
})
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class ClusterModule extends BaseModule
    implements IStoreService, IClusterService, IPeerService, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterModule.class);

  private static final long RESTORATION_MILLIS = 1_000;

  /** For documents with a file of their own. */
  private final StoreModule files = new StoreModule();

  /** By data directory. */
  private final Map<String, EtcdStore> stores = new ConcurrentHashMap<>();

  /** Here from the start: other modules may be prepared before this one. */
  private final PeerListeners peerListeners = new PeerListeners();

  private ClusterSettings cluster;
  private @Nullable HttpEtcd etcd;
  private PeerStreams peers;
  private Restoration restoration;
  private EtcdUpkeep upkeep;
  private RunningElection election;
  private Executor notifier;
  private StartWait startWait;

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IThreadPoolService.class, IMastershipService.class, IShutdownService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    files.init(context);
    cluster = ClusterSettings.read(settings);
    HttpEtcd connection = new HttpEtcd(cluster.access());
    etcd = connection;
    peers = cluster.openPeerPort(peerListeners);
    election =
        new RunningElection(
            connection, cluster.thisNode(peers.contact()), peers, cluster.lease(), context);
    election.relayOver(this);
    notifier = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    startWait = new StartWait(cluster.access().shown(), cluster.maxStart());
    upkeep =
        new EtcdUpkeep(
            connection::revision, connection::compact, connection::space, System::nanoTime);
    restoration = new Restoration(connection, connection.history(), notifier);
    LOG.info(
        "cluster_configured node={} prefix=\"{}\" etcd=\"{}\"",
        cluster.node(),
        cluster.access().prefix(),
        cluster.access().shown());
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    files.startUp(context);
    election.start(context);
    Repetition repetition =
        new Repetition(context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor());
    repetition.every(RESTORATION_MILLIS, "watching for lost changes of etcd", restoration::tick);
    repetition.every(EtcdUpkeep.TICK_MILLIS, "the upkeep of etcd", upkeep::tick);
  }

  /** The documents of the cluster; no controller has any of its own. */
  @Override
  public Store inDirectory(String data) {
    return stores.computeIfAbsent(
        data,
        any ->
            new EtcdStore(
                Objects.requireNonNull(etcd),
                Objects.requireNonNull(etcd).history(),
                cluster.access().prefix(),
                data.isEmpty() ? Optional.empty() : Optional.of(Path.of(data).toAbsolutePath()),
                notifier,
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
    return election.view().map(restoration::withProblem).map(upkeep::withProblem);
  }

  @Override
  public Optional<ClusterView> electionView() {
    return election.electionView();
  }

  @Override
  public int partOf(int limit) {
    return election.partOf(limit);
  }

  @Override
  public CompletableFuture<Integer> handOver() {
    return election.handOver();
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

  @Override
  public void close() {
    if (election != null) {
      election.close();
    }
    stores.values().forEach(EtcdStore::close);
    if (restoration != null) {
      restoration.close();
    }
    if (etcd != null) {
      etcd.close();
    }
    files.close();
  }
}
