package io.malob.bench;

import io.malob.algorithm.bucket.BucketCount;
import io.malob.bench.load.Star;
import io.malob.bench.load.StarScenario;
import io.malob.bench.process.BalancerClient;
import io.malob.bench.process.HeapProbe;
import io.malob.bench.process.ProcessStatus;
import io.malob.openflow.bucket.BucketCookie;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.projectfloodlight.openflow.types.U64;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the cost of proactive placement with many edges and members. */
@Command(
    name = BucketsCommand.NAME,
    description = {
      "the cost of a proactive VIP with many client edges and members: rules, messages, processor",
      "time and memory, at first, at rest, and when members change"
    },
    mixinStandardHelpOptions = true)
final class BucketsCommand implements Callable<Integer> {
  static final String NAME = "buckets";

  private static final String USUAL_HEAP = "1g";
  private static final int MAX_SECONDS = 100_000;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long POLL_MILLIS = 100;

  /** No messages for so long: a change has been carried out, or has not begun. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final double MAX_REST_PERCENT = 20;
  private static final double MAX_BEGIN_SECONDS = 5;

  @Option(
      names = "--edges",
      paramLabel = "N",
      defaultValue = "100",
      description = "Switches with clients (${DEFAULT-VALUE}).")
  private int edges;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "2",
      description = "Clients of each of them (${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--member-edges",
      paramLabel = "N",
      defaultValue = "20",
      description = "Other switches, with members (${DEFAULT-VALUE}).")
  private int memberEdges;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Members, all in one pool (${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--algorithm",
      paramLabel = "NAME",
      defaultValue = "WRR",
      description = "The algorithm of the pool (${DEFAULT-VALUE}).")
  private String algorithm = "";

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Time before the measurement at rest (${DEFAULT-VALUE}).")
  private int settle;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Duration of the measurement at rest (${DEFAULT-VALUE}).")
  private int seconds;

  @Mixin private ControllerOptions controllerOptions = new ControllerOptions();
  @Mixin private ProcessOptions processOptions = new ProcessOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    LoadOptions.check("--settle", settle, MAX_SECONDS);
    LoadOptions.check("--seconds", seconds, MAX_SECONDS);
    StarScenario scenario = scenario();
    if (!controllerOptions.isBuilt()) {
      return Main.MISSING;
    }
    Figures figures = new Figures();
    try (Workspace workspace = Workspace.open(processOptions.output.out);
        ControllerProcess controller =
            controllerOptions.start(processOptions.jvm(USUAL_HEAP), workspace);
        Star star = new Star(scenario)) {
      controller.awaitReady();
      connect(scenario, controller, star);
      new Run(figures, scenario, controller, star).measure();
    }
    return figures.publish(NAME, parameters(), processOptions);
  }

  private StarScenario scenario() {
    try {
      return new StarScenario(edges, clients, memberEdges, members);
    } catch (IllegalArgumentException e) {
      throw new WrongUseException(String.valueOf(e.getMessage()));
    }
  }

  private Map<String, ?> parameters() {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("edges", edges);
    parameters.put("clients_per_edge", clients);
    parameters.put("member_edges", memberEdges);
    parameters.put("members", members);
    parameters.put("algorithm", algorithm);
    parameters.put("heap", processOptions.heapOr(USUAL_HEAP));
    return parameters;
  }

  private void connect(StarScenario scenario, ControllerProcess controller, Star star)
      throws IOException, InterruptedException {
    System.err.println("configuring the controller");
    BalancerClient client = controller.client();
    client.configure(scenario, algorithm);
    star.connect(controller.openFlow());
    controller.await("switches", client::switches, scenario.switches());
    controller.await("links", client::links, scenario.links());
    star.announceHosts();
    controller.await("located members", () -> client.locatedMembers(0), scenario.members());
    star.announceHosts();
    TimeUnit.SECONDS.sleep(2);
  }

  /** One controller's measurements. */
  private final class Run {
    private final Figures figures;
    private final StarScenario scenario;
    private final ControllerProcess controller;
    private final BalancerClient client;
    private final Star star;

    Run(Figures figures, StarScenario scenario, ControllerProcess controller, Star star) {
      this.figures = figures;
      this.scenario = scenario;
      this.controller = controller;
      this.client = controller.client();
      this.star = star;
    }

    void measure() throws IOException, InterruptedException {
      begin();
      rules();
      ProgressBar.sleep(settle, "settling");
      figures.addBelow(
          "rest_cpu_percent",
          "of a processor, at rest",
          controller.restingCpuPercent(seconds, "at rest"),
          "%",
          MAX_REST_PERCENT);
      figures.add("live_heap_mb", "live heap", HeapProbe.liveMegabytes(controller.pid()), "MB");
      figures.add(
          "resident_mb",
          "resident",
          ProcessStatus.residentMegabytes(controller.pid()).orElse(Double.NaN),
          "MB");
      change("drain", 0, "admin_state", "drain", MAX_BEGIN_SECONDS);
      change("down", 1, "admin_state", "down", MAX_BEGIN_SECONDS);
      weight();
    }

    private void begin() throws IOException, InterruptedException {
      System.err.println("becoming proactive");
      long messages = star.flowMods();
      double cpu = cpuSeconds();
      long start = System.nanoTime();
      client.change("vips", "vip0", "placement", "proactive");
      controller.await("proactive edges", client::proactiveEdges, edges);
      figures.add("proactive_s", "until all edges are proactive", secondsSince(start), "s");
      star.announceHosts(); // clients of reactive VIPs are not remembered
      awaitQuiet();
      figures.add("proactive_cpu_s", "  processor time", cpuSeconds() - cpu, "s");
      figures.addCount("proactive_flow_mods", "  FLOW_MODs", star.flowMods() - messages);
    }

    /** The rules of one switch of each kind, beside the formula in docs/architecture. */
    private void rules() throws IOException, InterruptedException {
      double[] equal = new double[members];
      Arrays.fill(equal, 1);
      int buckets = BucketCount.forShares(equal);
      Map<String, Integer> atClients = star.rules(scenario.clientSwitches().get(0));
      int bits = Integer.numberOfTrailingZeros(buckets);
      figures.addExactly("buckets", "client edge: buckets", of(atClients, 1, 100 + bits), buckets);
      figures.addExactly("entries", "client edge: VIP to buckets", of(atClients, 0, 48_550), 1);
      figures.addExactly("syns", "client edge: counted SYNs", of(atClients, 0, 48_555), 1);
      figures.addExactly("arp", "client edge: ARP answers", of(atClients, 0, 48_010), clients);
      figures.addCount("client_edge_rules", "client edge: all rules", sum(atClients));
      int memberSwitch = scenario.memberSwitches().get(0);
      int here = scenario.membersAt(memberSwitch);
      Map<String, Integer> atMembers = star.rules(memberSwitch);
      figures.addExactly("replies", "member edge: replies", of(atMembers, 0, 48_900), here);
      figures.addExactly("probes", "member edge: probe answers", of(atMembers, 0, 48_920), here);
      figures.addExactly("counted", "member edge: counted", of(atMembers, 0, 48_910), 3L * here);
      figures.addExactly(
          "to_clients", "member edge: clients", of(atMembers, 1, 500), (long) edges * clients);
      figures.addCount("member_edge_rules", "member edge: all rules", sum(atMembers));
      System.err.println("rules of a client edge by table/priority: " + atClients);
      System.err.println("rules of a member edge by table/priority: " + atMembers);
    }

    private static long of(Map<String, Integer> rules, int table, int priority) {
      return rules.getOrDefault(table + "/" + priority, 0);
    }

    private static long sum(Map<String, Integer> rules) {
      return rules.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Until no bucket leads to a member. Members are numbered from 1, in order of creation. */
    private void change(String key, int member, String field, Object value, double maxBegin)
        throws IOException, InterruptedException {
      System.err.println(key);
      LongPredicate leadsThere = cookie -> leadsTo(cookie, member + 1);
      long before = star.rulesWith(leadsThere);
      long messages = star.flowMods();
      double cpu = cpuSeconds();
      long start = System.nanoTime();
      client.change("members", "member0." + member, field, value);
      long begun = 0;
      long now;
      while ((now = star.rulesWith(leadsThere)) > 0) {
        begun = begun == 0 && now < before ? System.nanoTime() : begun;
        if (System.nanoTime() - start > PATIENCE_NANOS) {
          throw new IOException(key + ": " + now + " of " + before + " buckets have not moved");
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      double first = begun == 0 ? secondsSince(start) : (begun - start) / 1e9;
      figures.addCount(key + "_buckets", key + ": buckets of the member", before);
      figures.addBelow(key + "_begin_s", "  until the first has moved", first, "s", maxBegin);
      figures.add(key + "_s", "  until all have", secondsSince(start), "s");
      awaitQuiet();
      figures.add(key + "_end_s", "  until messages end", secondsSince(start), "s");
      figures.add(key + "_cpu_s", "  processor time", cpuSeconds() - cpu, "s");
      figures.addCount(key + "_flow_mods", "  FLOW_MODs", star.flowMods() - messages);
    }

    private void weight() throws IOException, InterruptedException {
      System.err.println("weight");
      long messages = star.flowMods();
      double cpu = cpuSeconds();
      long start = System.nanoTime();
      client.change("members", "member0.2", "weight", 2);
      while (star.flowMods() == messages && System.nanoTime() - start < PATIENCE_NANOS) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      figures.add("weight_begin_s", "weight: until messages begin", secondsSince(start), "s");
      awaitQuiet();
      figures.add("weight_s", "  until they end", secondsSince(start), "s");
      figures.add("weight_cpu_s", "  processor time", cpuSeconds() - cpu, "s");
      figures.addCount("weight_flow_mods", "  FLOW_MODs", star.flowMods() - messages);
    }

    /** Whether a rule is that of a bucket which leads to a member. */
    private static boolean leadsTo(long cookie, int memberNumber) {
      return BucketCookie.of(U64.of(cookie))
          .filter(bucket -> bucket.memberNumber() == memberNumber && !bucket.isMoving())
          .isPresent();
    }

    private static boolean isMoving(long cookie) {
      return BucketCookie.of(U64.of(cookie)).filter(BucketCookie::isMoving).isPresent();
    }

    /** Waits until no bucket moves and no messages have come for a while. */
    private void awaitQuiet() throws IOException, InterruptedException {
      long end = System.nanoTime() + PATIENCE_NANOS;
      long quietSince = System.nanoTime();
      long before = star.flowMods();
      while (System.nanoTime() - quietSince < QUIET_NANOS) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        long now = star.flowMods();
        if (now != before || star.rulesWith(Run::isMoving) > 0) {
          quietSince = System.nanoTime();
          before = now;
        }
        if (System.nanoTime() - end > 0) {
          throw new IOException("buckets still move");
        }
      }
    }

    private double cpuSeconds() {
      return ProcessStatus.cpuSeconds(controller.pid()).orElse(Double.NaN);
    }

    private static double secondsSince(long startNanos) {
      return (System.nanoTime() - startNanos) / 1e9;
    }
  }
}
