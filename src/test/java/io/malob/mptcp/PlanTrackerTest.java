package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Route;
import io.malob.json.RejectedException;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.RuleSender;
import io.malob.store.FileStore;
import io.malob.testing.PaperTopology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The tracker of the plan on the paper's topology 1, with a real file and fake switches. */
class PlanTrackerTest {
  private static final Topology PAPER = PaperTopology.topology();
  private static final byte[] REQUEST = "{\"vlan\": false}".getBytes(StandardCharsets.UTF_8);

  private final FakeSwitches switches = new FakeSwitches(PAPER.switches().size());
  private final List<Runnable> later = new ArrayList<>();

  /** What the file had each time that something was sent to a switch. */
  private final Set<String> savedAtSends = new HashSet<>();

  @TempDir Path data;
  private Topology found = PAPER;
  private long now = 1;
  private RuleInstaller installer;
  private PlanTracker tracker;

  @BeforeEach
  void start() throws Exception {
    installer =
        new RuleInstaller(
            new RuleSender(
                id -> {
                  savedAtSends.add(saved());
                  return switches.find(id);
                }),
            MoreExecutors.directExecutor(),
            later::add,
            bound -> 0,
            RuleCompiler.FOUR_TABLES);
    tracker =
        new PlanTracker(
            new Hosts(),
            new LinkLife(() -> now, (id, port) -> true),
            installer,
            FileStore.inDirectory(data, Runnable::run));
    PAPER.switches().forEach(installer::switchActive);
    tracker.follow();
    now += TimeUnit.SECONDS.toNanos(60);
  }

  /** One host at each of three switches. */
  private final class Hosts implements PlanTracker.PlanInputs {
    @Override
    public Topology topology() {
      return found;
    }

    @Override
    public List<KnownHosts.Seen> hosts(IpFamily family) {
      return List.of(seen(1), seen(2), seen(5));
    }

    private static KnownHosts.Seen seen(int at) {
      return new KnownHosts.Seen(
          new Attachment(DatapathId.of(at), OFPort.of(40), MacAddress.of(at)),
          0,
          ImmutableList.of(IPv4Address.of("10.0.0." + at)));
    }

    @Override
    public boolean isCore(DatapathId switchId) {
      return false;
    }

    @Override
    public ImmutableMap<UndirectedLink, Double> capacities(
        PlanSettings.Weights weights, Topology network) {
      return ImmutableMap.of();
    }
  }

  private Path file() {
    return data.resolve("mptcp.json");
  }

  private String saved() {
    try {
      return Files.exists(file()) ? Files.readString(file()) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every write fails from now on, as on a full disk. */
  private void fillDisk() throws IOException {
    Files.createDirectory(data.resolve("mptcp.json.new"));
  }

  private void emptyDisk() throws IOException {
    Files.delete(data.resolve("mptcp.json.new"));
  }

  private Map<DatapathId, String> rules() {
    Map<DatapathId, String> rules = new HashMap<>();
    for (DatapathId id : PAPER.switches()) {
      rules.put(
          id,
          switches.get(id.getLong()).table().rules().stream()
              .map(rule -> rule.match() + " " + rule.instructions())
              .sorted()
              .toList()
              .toString());
    }
    return rules;
  }

  private void apply() throws RejectedException {
    tracker.apply(REQUEST, () -> {});
    runLater();
  }

  private void runLater() {
    List.copyOf(later).forEach(Runnable::run);
    later.clear();
  }

  /** A link that the plan uses goes. */
  private void breakLink() {
    DirectedLink gone =
        tracker
            .view()
            .applied()
            .orElseThrow()
            .plan()
            .routes()
            .values()
            .iterator()
            .next()
            .links()
            .iterator()
            .next();
    found =
        Topology.of(
            PAPER.switches(),
            PAPER.links().stream()
                .filter(link -> !link.equals(gone) && !link.equals(gone.reversed()))
                .toList());
  }

  @Test
  void apply_isSavedBeforeASwitchHearsOfIt() throws Exception {
    savedAtSends.clear();
    apply();
    assertEquals(Set.of(saved()), savedAtSends);
    assertFalse(saved().isEmpty());
  }

  @Test
  void follow_savesThePlanBeforeASwitchHearsOfIt() throws Exception {
    apply();
    String before = saved();
    savedAtSends.clear();
    breakLink();
    tracker.follow();
    assertNotEquals(before, saved());
    assertEquals(Set.of(saved()), savedAtSends);
    assertEquals(1, tracker.view().replans());
  }

  @Test
  void follow_whileTheDiskIsFull_leavesFileSwitchesAndViewAsTheyAre() throws Exception {
    apply();
    String file = saved();
    Map<DatapathId, String> rules = rules();
    Applied applied = tracker.view().applied().orElseThrow();
    fillDisk();
    breakLink();

    tracker.follow();
    tracker.follow();
    runLater();

    assertEquals(file, saved());
    assertEquals(rules, rules());
    assertEquals(applied, tracker.view().applied().orElseThrow());
    assertEquals(
        Optional.of("the plan could not be stored; the log says why"), tracker.view().trouble());

    emptyDisk();
    tracker.follow();
    runLater();
    assertEquals(Optional.empty(), tracker.view().trouble());
    assertNotEquals(file, saved());
    assertNotEquals(rules, rules());
    assertEquals(
        tracker.view().applied().orElseThrow().labelled().labels(),
        AppliedFormat.read(Files.readAllBytes(file())).labelled().labels());
  }

  @Test
  void plansThatCannotBeSaved_leakNoLabels() throws Exception {
    apply();
    int inUse = tracker.labelsInUse();
    assertEquals(tracker.view().applied().orElseThrow().labelled().labels().size(), inUse);
    fillDisk();
    RejectedException refused = assertThrows(RejectedException.class, this::apply);
    assertEquals(RejectedException.Reason.NOT_STORED, refused.reason());
    breakLink();
    tracker.follow();
    tracker.follow();
    assertEquals(inUse, tracker.labelsInUse());
    emptyDisk();
    tracker.follow();
    runLater();
    assertEquals(
        tracker.view().applied().orElseThrow().labelled().labels().size(), tracker.labelsInUse());
  }

  @Test
  void clear_removesFileRulesAndLabels() throws Exception {
    apply();
    assertTrue(tracker.clear(() -> {}));
    runLater();
    assertEquals("", saved());
    assertEquals(0, tracker.labelsInUse());
    assertEquals(
        0, PAPER.switches().stream().mapToInt(installer::expected).sum(), "rules that stay");
    assertFalse(tracker.clear(() -> {}));
  }

  @Test
  void clear_thatTheDiskRefuses_changesNothing() throws Exception {
    apply();
    Map<DatapathId, String> rules = rules();
    String file = saved();
    // a directory that is not empty cannot be deleted
    Path copy = data.resolve("mptcp.json.last-good");
    Files.delete(copy);
    Files.createDirectories(copy.resolve("in the way"));
    RejectedException refused =
        assertThrows(RejectedException.class, () -> tracker.clear(() -> {}));
    assertEquals(RejectedException.Reason.NOT_STORED, refused.reason());
    assertEquals(file, saved());
    assertEquals(rules, rules());
    assertTrue(tracker.view().applied().isPresent());
  }

  @Test
  void resume_putsThePlanOfBeforeInPlace() throws Exception {
    apply();
    Map<DatapathId, String> rules = rules();
    List<?> labels = tracker.view().applied().orElseThrow().labelled().labels();
    start();
    tracker.resume();
    runLater();
    assertEquals(labels, tracker.view().applied().orElseThrow().labelled().labels());
    assertEquals(rules, rules());
    assertFalse(tracker.view().changing());
  }

  /** A plan of a version whose default was Hamiltonian paths. */
  @Test
  void resume_keepsTheKindOfPathsOfAPlan() throws Exception {
    tracker.apply("{\"method\": \"balanced\"}".getBytes(StandardCharsets.UTF_8), () -> {});
    Files.writeString(file(), saved().replace("\\\"method\\\": \\\"balanced\\\"", ""));
    start();
    tracker.resume();
    assertEquals(
        PlanRequest.Method.BALANCED,
        tracker.view().applied().orElseThrow().request().settings().method());
  }

  @Test
  void resume_knowsTheWholePathsOfCutRoutes() throws Exception {
    tracker.apply("{\"max_detour\": 0}".getBytes(StandardCharsets.UTF_8), () -> {});
    ImmutableList<Route> routes = tracker.view().applied().orElseThrow().plan().plan().routes();
    assertTrue(routes.stream().anyMatch(route -> route.cutFrom().isPresent()));
    start();
    tracker.resume();
    assertEquals(routes, tracker.view().applied().orElseThrow().plan().plan().routes());
  }

  @Test
  void view_isChangingUntilSwitchesHaveConfirmed() throws Exception {
    switches.holdBarriers();
    boolean[] done = new boolean[1];
    tracker.apply(REQUEST, () -> done[0] = true);
    assertTrue(tracker.view().changing());
    assertFalse(done[0]);
    for (int round = 0; round < 10; round++) {
      for (DatapathId id : PAPER.switches()) {
        while (switches.get(id.getLong()).openBarriers() > 0) {
          switches.get(id.getLong()).answerBarrier();
        }
      }
    }
    assertTrue(done[0]);
    assertFalse(tracker.view().changing());
  }
}
