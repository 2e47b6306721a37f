package io.malob.simulation.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.simulation.scale.Deployment.Topology;
import io.malob.simulation.scale.ScaleModel.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ScaleModelTest {
  private static final Path PAGE = Path.of("..", "docs", "explanation", "scale.md");

  private static ScaleModel model(double perSecond, int members, Placement placement) {
    return new ScaleModel(
        new Deployment(
            "", Topology.FAT_TREE, 100, 1, members, 1_000, 0, perSecond, 1, false, 2, 600),
        placement);
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void tablesOfThePage_areThoseOfTheModel(Placement placement) throws IOException {
    String table = ScaleTable.of(Deployment.SIZES, placement);
    assertTrue(
        Files.readString(PAGE).contains(table),
        () -> PAGE + " lacks a line of './malob lab simulate scale --markdown':\n" + table);
  }

  /** The table of docs/architecture/data-plane.md. */
  @ParameterizedTest
  @CsvSource({
    "5, 64",
    "10, 128",
    "20, 256",
    "50, 512",
    "100, 1024",
    "200, 2048",
    "500, 4096",
    "1000, 8192"
  })
  void buckets_growWithMembers(int members, int buckets) {
    assertEquals(buckets, model(0, members, Placement.PROACTIVE).buckets());
  }

  /** 40 edges, one of them with the members: a rule lives for 15 s after the last packet. */
  @Test
  void rulesOfAClientEdge_growByTheIdleTimeoutTimesTheRate() {
    double none = model(0, 40, Placement.REACTIVE).clientEdgeRules();
    double some = model(39_000, 40, Placement.REACTIVE).clientEdgeRules();
    double labels = 2; // of one pair of edges, in both directions
    assertEquals(15 * 1_000 + labels, some - none, 1e-6);
  }

  @Test
  void proactivePlacement_costsControllersNothingPerConnection() {
    ScaleModel idle = model(0, 40, Placement.PROACTIVE);
    ScaleModel busy = model(1e6, 40, Placement.PROACTIVE);
    assertEquals(idle.resources(), busy.resources());
  }

  /** A VIP knows so many next hops at most. */
  @Test
  void rulesOfAMemberEdge_growWithNextHopsUpToTheLimit() {
    double few = memberEdgeRules(1_000);
    assertEquals(1_000, memberEdgeRules(2_000) - few, 1e-6);
    assertEquals(9_000, memberEdgeRules(1_000_000) - few, 1e-6);
  }

  private static double memberEdgeRules(int nextHops) {
    Deployment deployment =
        new Deployment("", Topology.FAT_TREE, 100, 1, 40, nextHops, 0, 0, 1, false, 2, 600);
    return new ScaleModel(deployment, Placement.PROACTIVE).memberEdgeRules();
  }

  @Test
  void first_isTheResourceOfTheHighestUtilization() {
    ScaleModel busy = model(1e5, 40, Placement.REACTIVE);
    assertTrue(busy.first().utilization() > 1);
    busy.resources().forEach(each -> assertTrue(each.utilization() <= busy.first().utilization()));
  }
}
