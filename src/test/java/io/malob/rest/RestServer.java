package io.malob.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Sets;
import com.google.common.primitives.ImmutableLongArray;
import io.malob.agent.IAgentService;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.BalancerActivity;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.ConnectionPage;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.MoveStats;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProfileStats;
import io.malob.balancer.api.ReconcileStats;
import io.malob.balancer.api.SplitHost;
import io.malob.balancer.api.VipStats;
import io.malob.capability.FeatureProbes;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.SwitchCapability;
import io.malob.capability.SwitchFeature;
import io.malob.capability.TableUse;
import io.malob.endhost.IEndhostService;
import io.malob.file.DamagedException;
import io.malob.json.RejectedException;
import io.malob.latency.ControlMethod;
import io.malob.latency.ControlRoundTrip;
import io.malob.latency.ILatencyService;
import io.malob.latency.LatencyCounters;
import io.malob.latency.LatencyCounters.ProbeCount;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.module.IClusterService;
import io.malob.module.IDuplicateSwitchService;
import io.malob.module.MastershipPolicy;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import io.malob.openflow.TableLayout;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Service;
import io.malob.state.network.Routing;
import io.malob.state.network.SelfAddresses;
import io.malob.state.network.StaticRoutes;
import io.malob.state.report.AgentTable;
import io.malob.state.report.AgentTableFormat;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.ReplayGuard;
import io.malob.state.report.ReportCounts;
import io.malob.state.report.ReportIntake;
import io.malob.store.MemoryStore;
import io.malob.store.Store;
import io.malob.testing.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.restserver.IRestApiService;
import net.floodlightcontroller.restserver.RestletRoutable;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.restlet.Component;
import org.restlet.Server;
import org.restlet.data.Protocol;
import org.restlet.routing.Router;
import org.restlet.routing.Template;

/** The module on a REST server of its own, with a client for it. */
final class RestServer implements IBalancerService {
  static final DirectedLink LINK =
      new DirectedLink(DatapathId.of(1), OFPort.of(3), DatapathId.of(2), OFPort.of(4));

  /** The one client that explain() knows. */
  static final IPv4Address KNOWN_CLIENT = IPv4Address.of("10.0.0.21");

  static final Attachment AT_CLIENT =
      new Attachment(LINK.src(), OFPort.of(5), MacAddress.of("02:00:00:00:00:21"));

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Every answer of every test is one that the OpenAPI document has. */
  private static final DocumentedAnswers DOCUMENT = new DocumentedAnswers();

  volatile boolean endsAreTold;

  /** The cluster, if there is one. */
  volatile Optional<ClusterView> cluster = Optional.empty();

  /** Whether etcd answers requests of the cluster. */
  volatile boolean etcdAnswers = true;

  /** Switches with one datapath id. */
  volatile ImmutableList<DuplicateSwitch> duplicates = ImmutableList.of();

  /** What catalogEffect() tells. */
  volatile CatalogEffect effect = CatalogEffect.IN_FORCE;

  /** What another client does between a change of the catalog and its answer. */
  volatile AfterEdit afterEdit = () -> {};

  /** A change by another client. */
  interface AfterEdit {
    void run() throws RejectedException;
  }

  /** What memberStats() tells. */
  final Map<String, MemberStats> stats = new ConcurrentHashMap<>();

  /** What splitHosts() tells. */
  final List<SplitHost> splitHosts = new CopyOnWriteArrayList<>();

  /** What ejected() tells. */
  final Map<String, EjectedMember> ejected = new ConcurrentHashMap<>();

  /** What connections() tells. */
  final List<PlacedConnection> connections = new CopyOnWriteArrayList<>();

  /** What explain() tells. */
  volatile ExplainedConnection explained =
      new ExplainedConnection(
          AT_CLIENT,
          Optional.of(KNOWN_CLIENT),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          new ExplainedConnection.Refused("no_vip"),
          ImmutableList.of(),
          Optional.empty());

  /** What explain() was asked. */
  final List<String> questions = new CopyOnWriteArrayList<>();

  /** The reports that were posted. */
  final List<byte[]> reports = new CopyOnWriteArrayList<>();

  private final ReportCounts reportCounts = new ReportCounts();
  private final ReportIntake intake =
      new ReportIntake(
          RestServer::agentTable,
          new ReplayGuard(Map.of(), 0),
          reportCounts,
          () -> 0,
          (agent, report, atNanos) -> {});

  /** Held, so that its level stays. */
  private static final Logger RESTLET_LOG = Logger.getLogger("org.restlet");

  final FakeMptcp mptcp = new FakeMptcp();
  final FakeEndhost endhost = new FakeEndhost();
  final FakeMonitor monitor = new FakeMonitor(LINK);

  /** What is attached to switches. */
  final List<IDevice> hosts = new CopyOnWriteArrayList<>();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final IDeviceService devices =
      Stub.of(IDeviceService.class).on("getAllDevices", none -> hosts).make();
  private final BalancerRestModule module;
  private final Catalog catalog;
  private final Component component = new Component();
  private final Server server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  RestServer(Store store) throws Exception {
    RESTLET_LOG.setLevel(Level.WARNING);
    // or else the JDK's server and delayed acknowledgements make each answer 40 ms late
    System.setProperty("sun.net.httpserver.nodelay", "true");
    catalog = Catalog.open(store);
    server = component.getServers().add(Protocol.HTTP, "127.0.0.1", 0);
    server.getContext().getParameters().set("minThreads", "10", false);
    component.getLogService().setEnabled(false);
    Router router = new Router(component.getContext().createChildContext());
    router.setDefaultMatchingMode(Template.MODE_STARTS_WITH);
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(IBalancerService.class, this);
    context.addService(IMonitorService.class, monitor);
    context.addService(IAgentService.class, agents());
    context.addService(ILatencyService.class, latency());
    context.addService(ISwitchCapabilityService.class, capabilities());
    context.addService(IMptcpService.class, mptcp);
    context.addService(IClusterService.class, cluster());
    context.addService(IEndhostService.class, endhost);
    context.addService(IDuplicateSwitchService.class, (IDuplicateSwitchService) () -> duplicates);
    context.addService(
        IRestApiService.class,
        new IRestApiService() {
          @Override
          public void addRestletRoutable(RestletRoutable routable) {
            router.attach(routable.basePath(), routable.getRestlet(router.getContext()));
          }

          @Override
          public void run() {}
        });
    context.addService(IDeviceService.class, devices);
    context.addService(
        IThreadPoolService.class,
        Stub.of(IThreadPoolService.class).on("getScheduledExecutor", none -> timer).make());
    module = new BalancerRestModule();
    module.init(context);
    module.startUp(context);
    component.getDefaultHost().attach(router);
    component.start();
  }

  private IClusterService cluster() {
    return new IClusterService() {
      @Override
      public String name() {
        return "b";
      }

      @Override
      public Optional<String> masterOf(DatapathId switchId) {
        return cluster.map(view -> view.masters().get(switchId));
      }

      @Override
      public Optional<ClusterView> view() {
        return cluster;
      }

      @Override
      public Optional<ClusterView> electionView() {
        return view();
      }

      @Override
      public CompletableFuture<Integer> handOver() {
        return CompletableFuture.completedFuture(3);
      }

      @Override
      public CompletableFuture<MastershipPolicy> setMastership(MastershipPolicy policy) {
        return etcdAnswers
            ? CompletableFuture.completedFuture(policy)
            : CompletableFuture.failedFuture(new IOException("no answer"));
      }

      @Override
      public CompletableFuture<Long> raiseBase(long minimum) {
        return etcdAnswers
            ? CompletableFuture.completedFuture(minimum)
            : CompletableFuture.failedFuture(new IOException("no answer"));
      }
    };
  }

  private static AgentTable agentTable() {
    try {
      return AgentTableFormat.read(
          """
          {"agents": [
            {"id": "w1", "kind": "server", "address": "10.0.0.11",
             "other_addresses": ["2001:db8::11"],
             "key": "00112233445566778899aabbccddeeff"},
            {"id": "n1", "kind": "link", "address": "10.0.0.21"}]}
          """
              .getBytes(StandardCharsets.UTF_8));
    } catch (DamagedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ISwitchCapabilityService capabilities() {
    return Stub.of(ISwitchCapabilityService.class)
        .on(
            "capabilities",
            none ->
                ImmutableSortedMap.of(
                    DatapathId.of(1),
                    new SwitchCapability(
                        TableLayout.ONE_TABLE_WITH_GROUPS,
                        SwitchCapability.Source.PROBED,
                        Sets.immutableEnumSet(
                            SwitchFeature.TABLE_1, SwitchFeature.IPV6_TRANSLATION),
                        FeatureProbes.Answer.ACCEPTED),
                    DatapathId.of(2),
                    new SwitchCapability(
                        TableLayout.LABELS_ONLY,
                        SwitchCapability.Source.FORCED,
                        ImmutableSet.of())))
        .on(
            "tables",
            none ->
                ImmutableSortedMap.of(
                    DatapathId.of(1),
                    ImmutableSortedMap.of(
                        0, new TableUse(7, OptionalLong.of(2_000)),
                        5, new TableUse(1, OptionalLong.empty()))))
        .make();
  }

  private static ILatencyService latency() {
    return new ILatencyService() {
      @Override
      public LatencyCounters counters() {
        return new LatencyCounters(
            new ProbeCount(10, 8, 1, 0), new ProbeCount(5, 5, 0, 2), 3, Map.of("absurd", 4L));
      }

      @Override
      public Map<DatapathId, ControlRoundTrip> controlRoundTrips() {
        return ImmutableSortedMap.of(
            DatapathId.of(1), new ControlRoundTrip(ControlMethod.ECHO, OptionalLong.of(40_250_000)),
            DatapathId.of(2), new ControlRoundTrip(ControlMethod.PACKET, OptionalLong.empty()));
      }
    };
  }

  private IAgentService agents() {
    return new IAgentService() {
      @Override
      public void take(byte[] report) throws RejectedReportException {
        reports.add(report);
        intake.take(report, null, 0);
      }

      @Override
      public ReportCounts counts() {
        return reportCounts;
      }

      @Override
      public List<KnownAgent> agents() {
        return agentTable().byId().values().stream()
            .map(agent -> new KnownAgent(agent, intake.status(agent.id())))
            .toList();
      }

      @Override
      public long nanoTime() {
        return 1_500_000_000L;
      }
    };
  }

  @Override
  public Catalog catalog() {
    return catalog;
  }

  @Override
  public CatalogEffect catalogEffect() {
    try {
      afterEdit.run();
    } catch (RejectedException e) {
      throw new IllegalStateException(e);
    }
    return effect;
  }

  @Override
  public Map<String, MemberStats> memberStats() {
    return stats;
  }

  @Override
  public Map<String, Integer> vipConnections() {
    return Map.of();
  }

  /** What unservedSwitches() tells. */
  final Set<DatapathId> unserved = new CopyOnWriteArraySet<>();

  /** What proactive() tells. */
  final List<ProactiveStats> proactive = new CopyOnWriteArrayList<>();

  /** The balancer's own addresses. */
  SelfAddresses selfAddresses = SelfAddresses.NONE;

  private final StaticRoutes routes = openRoutes();

  private static StaticRoutes openRoutes() {
    try {
      return StaticRoutes.open(new MemoryStore(Runnable::run));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public StaticRoutes routes() {
    return routes;
  }

  @Override
  public Routing routing() {
    return new Routing(selfAddresses, routes::find);
  }

  @Override
  public List<ProactiveStats> proactive() {
    return proactive;
  }

  /** What vipStats() tells. */
  final Map<String, VipStats> vipStats = new ConcurrentHashMap<>();

  @Override
  public Map<String, VipStats> vipStats() {
    return vipStats;
  }

  @Override
  public List<SplitHost> splitHosts() {
    return splitHosts;
  }

  @Override
  public Map<String, EjectedMember> ejected() {
    return ejected;
  }

  @Override
  public Map<String, Long> ejections() {
    return Map.of();
  }

  @Override
  public boolean endsAreTold() {
    return endsAreTold;
  }

  @Override
  public MoveStats moves() {
    return new MoveStats(3, 40, 12, 1, 2);
  }

  @Override
  public Set<DatapathId> unservedSwitches() {
    return unserved;
  }

  @Override
  public List<ProfileStats> profiles() {
    return List.of(
        new ProfileStats(
            "web", "default", false, 12, 60_000.4, 1_500, 12_345_678, Map.of("a", 2_000_000.0)));
  }

  @Override
  public List<PathStats> paths() {
    return List.of(
        new PathStats(
            MacAddress.of("0a:4d:4c:00:00:07"),
            new Path(LINK.src(), ImmutableList.of(LINK)),
            5,
            4));
  }

  @Override
  public ConnectionPage connections(
      Predicate<PlacedConnection> wanted, @Nullable FiveTuple after, int limit) {
    List<PlacedConnection> found =
        connections.stream()
            .filter(each -> after == null || each.request().compareTo(after) > 0)
            .filter(wanted)
            .sorted(Comparator.comparing(PlacedConnection::request))
            .toList();
    ImmutableList<PlacedConnection> page =
        ImmutableList.copyOf(found.subList(0, Math.min(limit, found.size())));
    return new ConnectionPage(
        page, found.size() > limit ? Optional.of(page.get(limit - 1).request()) : Optional.empty());
  }

  @Override
  public Optional<ExplainedConnection> explain(
      IPAddress<?> client,
      IPAddress<?> vip,
      io.malob.state.catalog.Protocol protocol,
      int port,
      OptionalInt clientPort) {
    ask(client, vip, protocol, port, clientPort);
    return client.equals(KNOWN_CLIENT) ? Optional.of(explained) : Optional.empty();
  }

  @Override
  public Optional<ExplainedConnection> explain(
      MacAddress client,
      IPAddress<?> vip,
      io.malob.state.catalog.Protocol protocol,
      int port,
      OptionalInt clientPort) {
    ask(client, vip, protocol, port, clientPort);
    return client.equals(AT_CLIENT.mac()) ? Optional.of(explained) : Optional.empty();
  }

  private void ask(
      Object client,
      IPAddress<?> vip,
      io.malob.state.catalog.Protocol protocol,
      int port,
      OptionalInt clientPort) {
    String from = clientPort.isPresent() ? " from " + clientPort.getAsInt() : "";
    questions.add(client + " " + vip + " " + protocol.text() + " " + port + from);
  }

  @Override
  public List<LinkStats> links() {
    return List.of(new LinkStats(LINK, 4));
  }

  @Override
  public Map<String, Long> rejects() {
    return Map.of("no_vip", 3L);
  }

  @Override
  public BalancerCounters counters() {
    return new BalancerCounters(
        5, 7, 2, Map.of(DatapathId.of(1), Map.of("FLOW_MOD_FAILED/TABLE_FULL", 3L)));
  }

  @Override
  public BalancerActivity activity() {
    return new BalancerActivity(
        ImmutableList.of(new BalancerActivity.PlacementCount("http", "RR+SPH", "placed", 5)),
        new BalancerActivity.Durations(ImmutableLongArray.of(), ImmutableLongArray.of(0), 0),
        ImmutableMap.of(),
        ImmutableMap.of(),
        0,
        0,
        0,
        ImmutableMap.of(),
        new BalancerActivity.Records(0, 0));
  }

  @Override
  public ReconcileStats reconcileStats() {
    return new ReconcileStats(9, 1, 5, 2, 3, 4, 6);
  }

  /** Back to a catalog with nothing but the default entry of the services table. */
  void clear() throws RejectedException {
    stats.clear();
    connections.clear();
    questions.clear();
    for (CatalogKind<?> kind : Catalog.KINDS) {
      for (String id : List.copyOf(kind.in(catalog.snapshot()).keySet())) {
        if (!id.equals(Service.DEFAULT_ID)) {
          catalog.delete(kind, id);
        }
      }
    }
  }

  URI uri(String path) {
    return fullUri("/quantum/v1.0" + path);
  }

  URI fullUri(String path) {
    return URI.create("http://127.0.0.1:" + server.getActualPort() + path);
  }

  /** Sends a request to a resource of the balancer, see {@link #sendTo}. */
  Answer send(String method, String path, String body) throws IOException, InterruptedException {
    return sendTo(method, "/quantum/v1.0" + path, body);
  }

  /** Sends a request as {@code curl -X METHOD -d BODY} does; without body if it is null. */
  Answer sendTo(String method, String path, String body) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(fullUri(path));
    if (body == null) {
      request.method(method, BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/x-www-form-urlencoded")
          .method(method, BodyPublishers.ofString(body));
    }
    return send(request.build());
  }

  Answer send(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    // OpenStack publishes the reference of its own API
    if (!request.uri().getPath().startsWith("/v2")) {
      DOCUMENT.check(request, response);
    }
    return new Answer(
        response.statusCode(),
        response.body(),
        response.body().isEmpty() ? null : JSON.readTree(response.body()),
        response);
  }

  Answer get(String path) throws IOException, InterruptedException {
    return send("GET", path, null);
  }

  Answer post(String path, String body) throws IOException, InterruptedException {
    return send("POST", path, body);
  }

  Answer put(String path, String body) throws IOException, InterruptedException {
    return send("PUT", path, body);
  }

  Answer delete(String path) throws IOException, InterruptedException {
    return send("DELETE", path, null);
  }

  /** What the controller does first when it ends. */
  void closeModule() {
    module.close();
  }

  void close() throws Exception {
    timer.shutdownNow();
    module.close();
    component.stop();
  }

  /** An answer with its body as JSON. */
  record Answer(int status, String text, JsonNode json, HttpResponse<String> response) {
    String error() {
      return json.path("error").asText();
    }

    String field() {
      return json.path("field").asText();
    }
  }
}
