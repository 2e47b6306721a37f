package io.malob.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.monitor.PolledNetwork.PolledSwitch;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import io.malob.state.network.Measurement.Source;
import io.malob.state.network.PortId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Port statistics of two switches that are joined: port 1 of A to port 2 of B. */
class MonitorModuleTest {
  private static final DatapathId A = DatapathId.of(1);
  private static final DatapathId B = DatapathId.of(2);
  private static final DirectedLink THERE = new DirectedLink(A, OFPort.of(1), B, OFPort.of(2));
  private static final DirectedLink BACK = new DirectedLink(B, OFPort.of(2), A, OFPort.of(1));

  private final PolledNetwork network = new PolledNetwork(Map.of());
  private final PolledSwitch a = network.add(A);
  private final PolledSwitch b = network.add(B);

  MonitorModuleTest() {
    network.link(THERE);
    network.link(BACK);
  }

  @Test
  void use_isWhatThePortAtTheBeginningTransmits() {
    network.round();
    a.answer(new PortAnswers().port(1, 0).port(2, 0));
    b.answer(new PortAnswers().port(1, 0).port(2, 0));
    network.round();
    a.answer(new PortAnswers().port(1, 1_000_000).port(2, 7));
    b.answer(new PortAnswers().port(1, 7).port(2, 0));
    assertEquals(
        new Measurement(8e6, 1_000_000_000, Source.PORT_STATISTICS), measured(THERE).useBps());
    assertEquals(
        new Measurement(0, 1_000_000_000, Source.PORT_STATISTICS), measured(BACK).useBps());
  }

  @Test
  void throughput_isWhatUseLeavesOfThePortsSpeed() {
    a.speed(1, 100_000);
    transmit(1_000_000);
    assertEquals(
        new Measurement(92e6, 1_000_000_000, Source.PORT_STATISTICS),
        measured(THERE).throughputBps());
    assertEquals(
        Optional.of(new LinkCapacity(100e6, LinkCapacity.Source.PORT)),
        network.module().capacity(THERE));
  }

  @Test
  void linkToAnotherMastersSwitch_isMeasuredWhereItBegins() {
    network.hasOtherMaster(B);
    network.round();
    a.answer(new PortAnswers().port(1, 0));
    network.round();
    a.answer(new PortAnswers().port(1, 1_000_000));
    assertEquals(8e6, measured(THERE).useBps().value());
    assertEquals(Set.of(THERE), Set.copyOf(network.module().measuredLinks().links()));
    assertEquals(Set.of(A, B), network.module().measuredLinks().switches());
    assertEquals(Set.of(A), network.module().topology().switches());
    assertEquals(List.of(), b.asked());
  }

  @Test
  void throughput_withoutCapacity_isUnknown() {
    transmit(1_000_000);
    assertNotNull(measured(THERE).useBps());
    assertNull(measured(THERE).throughputBps());
    assertEquals(Optional.empty(), network.module().capacity(THERE));
  }

  @Test
  void capacity_thatIsConfigured_winsOverThePorts() throws Exception {
    a.speed(1, 100_000);
    network.module().capacities().set(new PortId(A, OFPort.of(1)), 50e6);
    transmit(1_000_000);
    Measurement left = measured(THERE).throughputBps();
    assertNotNull(left);
    assertEquals(42e6, left.value());
    assertEquals(
        Optional.of(new LinkCapacity(50e6, LinkCapacity.Source.CONFIGURED)),
        network.module().capacity(THERE));
  }

  @Test
  void capacity_outlivesARestart(@TempDir Path directory) throws Exception {
    Map<String, String> settings = Map.of("data", directory.toString());
    PortId port = new PortId(A, OFPort.of(1));
    new PolledNetwork(settings).module().capacities().set(port, 50e6);
    assertEquals(Map.of(port, 50e6), new PolledNetwork(settings).module().capacities().all());
  }

  @Test
  void round_asksEachSwitchOnce_forAllItsPorts() {
    network.round();
    assertEquals(List.of(OFPort.ANY), a.asked());
    assertEquals(List.of(OFPort.ANY), b.asked());
  }

  @Test
  void manySwitches_areSpreadOverTheRound() {
    for (int id = 3; id <= 100; id++) {
      network.add(DatapathId.of(id));
    }
    for (int tick = 1; tick <= PortPolling.MIN_SLICES; tick++) {
      network.tick();
      assertEquals(5 * tick, network.questions());
    }
  }

  @Test
  void switchThatCannotBeAsked_keepsNoOtherFromIt() {
    a.fails();
    network.round();
    assertEquals(1, b.asked().size());
  }

  @Test
  void switchThatOwesAnAnswer_isNotAskedAgain_andCounted() {
    network.round();
    network.round();
    network.round();
    assertEquals(1, a.asked().size());
    assertEquals(2, stats(A).skipped());
    a.answer(new PortAnswers().port(1, 0));
    network.round();
    assertEquals(2, a.asked().size());
  }

  @Test
  void questionThatIsLost_isAskedAgain_andItsLateAnswerDoesNotCount() {
    network.round();
    network.pass(PortPolling.LOST_NANOS);
    network.round();
    assertEquals(2, a.asked().size());
    assertEquals(1, stats(A).failures());
    a.answer(new PortAnswers().port(1, 0));
    assertEquals(0, stats(A).answers());
    a.answer(new PortAnswers().port(1, 0));
    assertEquals(1, stats(A).answers());
  }

  @Test
  void switchThatRefuses_isCounted_andAskedAgain() {
    network.round();
    a.refuse();
    network.round();
    assertEquals(2, a.asked().size());
    assertEquals(new PollingStats(0, 1, 0, null), stats(A));
  }

  @Test
  void switchThatDoesNotAnswer_leavesOthersAlone_andItsValuesAge() {
    transmit(1_000_000);
    network.pass(11_000_000_000L);
    network.round();
    b.answer(new PortAnswers().port(2, 0));
    network.round();
    b.answer(new PortAnswers().port(2, 0));
    assertNull(measured(THERE).useBps());
    assertNotNull(measured(BACK).useBps());
  }

  @Test
  void switchThatReconnects_isAskedAtOnce_andStartsAnew() {
    transmit(1_000_000);
    network.round();
    PolledSwitch again = network.add(A);
    network.round();
    assertEquals(1, again.asked().size());
    again.answer(new PortAnswers().port(1, 5_000_000));
    assertEquals(1, stats(A).answers());
    Measurement use = measured(THERE).useBps();
    assertNotNull(use);
    assertEquals(8e6, use.value());
  }

  @Test
  void switchThatHasGone_isForgotten() {
    network.round();
    network.remove(A);
    network.round();
    assertEquals(List.of(B), List.copyOf(network.module().portStatistics().keySet()));
  }

  @Test
  void roundOfALargeNetwork_hasMoreTicks() {
    PolledNetwork large = new PolledNetwork(Map.of());
    for (int id = 1; id <= 1_000; id++) {
      large.add(DatapathId.of(id));
    }
    large.round(); // 20 ticks: a second
    assertEquals(238, large.questions()); // 84 ticks make a round of 1,000
    for (int tick = 20; tick < 84; tick++) {
      large.tick();
    }
    assertEquals(1_000, large.questions());
  }

  @Test
  void pollingThatIsOff_asksNobody() {
    PolledNetwork quiet = new PolledNetwork(Map.of("portStatisticsMillis", "0"));
    quiet.add(A);
    quiet.round();
    assertEquals(0, quiet.questions());
  }

  @Test
  void setting_thatIsNotValid_isNamed() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new PolledNetwork(Map.of("portStatisticsMillis", "-1")));
    assertTrue(refused.getCause() instanceof FloodlightModuleException);
    assertTrue(String.valueOf(refused.getMessage()).contains("portStatisticsMillis"));
  }

  /** A's port 1 transmits so many bytes within the second between two answers. */
  private void transmit(long bytes) {
    network.round();
    a.answer(new PortAnswers().port(1, 0));
    b.answer(new PortAnswers().port(2, 0));
    network.round();
    a.answer(new PortAnswers().port(1, bytes));
    b.answer(new PortAnswers().port(2, 0));
  }

  private LinkMeasurements measured(DirectedLink link) {
    LinkMeasurements found = network.module().links().snapshot(network.nanoTime()).get(link);
    assertNotNull(found);
    return found;
  }

  private PollingStats stats(DatapathId switchId) {
    PollingStats found = network.module().portStatistics().get(switchId);
    assertNotNull(found);
    return found;
  }
}
