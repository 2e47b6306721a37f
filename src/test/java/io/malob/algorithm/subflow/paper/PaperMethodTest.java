package io.malob.algorithm.subflow.paper;

import static io.malob.algorithm.subflow.Requests.between;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Requests;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.algorithm.subflow.UnplannableException;
import io.malob.testing.PaperTopology;
import io.malob.testing.Topologies;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PaperMethodTest {

  /**
   * Table I is said to hold the random paths that one begins with, whose counts would be those of
   * figure 3(a): 15, 10, 9, 17, 10, 12, 15 for links 1 to 7. They are not: these are the counts of
   * figure 3(c), where the method has ended: 15, 12, 10, 15, 14, 10, 12. So link 5 is S3-S5, links
   * 1 and 4 are S1-S4 and S4-S5, links 2 and 7 are S1-S3 and S2-S3, links 3 and 6 are S1-S2 and
   * S2-S5.
   */
  @Test
  void count_ofTableOne_isThatOfFigureThreeC() {
    Map<UndirectedLink, Integer> counts = new TreeMap<>();
    for (Path path : PaperTopology.tableOne()) {
      path.links().forEach(link -> counts.merge(UndirectedLink.of(link), 1, Integer::sum));
    }
    assertEquals(
        ImmutableMap.builder()
            .put(between(1, 2), 10)
            .put(between(1, 3), 12)
            .put(between(1, 4), 15)
            .put(between(2, 3), 12)
            .put(between(2, 5), 10)
            .put(between(3, 5), 14)
            .put(between(4, 5), 15)
            .buildOrThrow(),
        counts);
  }

  @Test
  void identities_ofThePapersTopology_areThoseOfTableOne() {
    PlanRequest request = Requests.paperTopology(1);
    Map<DirectedLink, Integer> ofTable = new TreeMap<>();
    PaperTopology.tableOne().forEach(path -> ofTable.merge(path.links().get(0), 1, Integer::sum));
    Map<DirectedLink, Integer> ofRequest = new TreeMap<>();
    request
        .demands()
        .forEach(demand -> ofRequest.merge(demand.identity().first(), 1, Integer::sum));
    assertEquals(ofTable, ofRequest);
  }

  @Test
  void plan_byPaper_endsInItsRangeOrSaysThatItDidNot() throws UnplannableException {
    Pattern range = Pattern.compile("its range, ([0-9.]+) to ([0-9.]+)\\.");
    Set<Boolean> seen = new HashSet<>();
    for (int seed = 1; seed <= 60; seed++) {
      SubflowPlan plan =
          new PaperPlanner()
              .plan(
                  Requests.byPaper(
                      Requests.balanced(
                          PaperTopology.topology(),
                          Requests.demandsOfAll(PaperTopology.topology(), 0),
                          seed)));
      Matcher matcher = range.matcher(plan.proof());
      assertTrue(matcher.find(), plan::proof);
      boolean isWithin =
          plan.minimum() >= Double.parseDouble(matcher.group(1))
              && plan.maximum() <= Double.parseDouble(matcher.group(2));
      assertEquals(plan.proof().contains("with all links in its range"), isWithin, plan::proof);
      seen.add(isWithin);
    }
    assertEquals(Set.of(true, false), seen);
  }

  @Test
  void plan_byPaper_hasARandomHamiltonianPathForEachIdentity() throws UnplannableException {
    Set<Object> plans = new HashSet<>();
    for (int seed = 1; seed <= 5; seed++) {
      PlanRequest request = Requests.byPaper(Requests.paperTopology(seed));
      SubflowPlan plan = new PaperPlanner().plan(request);
      for (int i = 0; i < plan.routes().size(); i++) {
        Route route = plan.routes().get(i);
        assertEquals(Route.Kind.HAMILTONIAN, route.kind());
        assertEquals(
            request.demands().get(i).identity().first(), route.branches().get(0).links().get(0));
        assertEquals(4, route.links().size());
      }
      plans.add(plan.routes());
    }
    assertEquals(5, plans.size());
  }

  /** A ring has one path for each first link: nothing can be drawn anew. */
  @Test
  void plan_byPaperWithoutChoice_ends() throws UnplannableException {
    Topology ring = Topologies.of(4, new int[][] {{1, 2}, {2, 3}, {3, 4}, {4, 1}});
    SubflowPlan plan =
        new PaperPlanner()
            .plan(
                Requests.byPaper(
                    Requests.balanced(ring, Requests.demands(ring, List.of(1L), 0), 1)));
    assertEquals(2, plan.maximum());
    assertEquals(1, plan.minimum());
    assertTrue(plan.provenOptimal(), plan::proof);
  }
}
