package io.malob.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.types.OFPort;

class PortRatesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final OFPort ONE = OFPort.of(1);
  private static final OFPort TWO = OFPort.of(2);

  private final PortRates rates = new PortRates();

  @Test
  void firstAnswer_givesNoRate() {
    assertEquals(Map.of(), rates.update(answer().port(1, 500).make(), 0));
  }

  @Test
  void rate_isBitsPerSecondOfTheTimeBetweenArrivals() {
    rates.update(answer().port(1, 500).port(2, 0).make(), 0);
    assertEquals(
        Map.of(ONE, 4_000.0, TWO, 0.0),
        rates.update(answer().port(1, 1_500).port(2, 0).make(), 2 * SECOND));
  }

  @Test
  void rate_whereTheSwitchTellsTheTime_isFreeOfLateArrival() {
    rates.update(answer().port(1, 0, 10, 500_000_000).make(), 0);
    assertEquals(
        Map.of(ONE, 8_000.0),
        rates.update(answer().port(1, 1_000, 11, 500_000_000).make(), 5 * SECOND));
  }

  @Test
  void rate_whereTheSwitchTellsWholeSecondsOnly_isByArrival() {
    rates.update(answer().port(1, 0, 10, 0).make(), 0);
    assertEquals(Map.of(ONE, 8_000.0), rates.update(answer().port(1, 1_000, 12, 0).make(), SECOND));
  }

  @Test
  void rate_whereTheSwitchDoesNotKnowTheTime_isByArrival() {
    long none = 0xffff_ffffL;
    rates.update(answer().port(1, 0, none, none).make(), 0);
    assertEquals(
        Map.of(ONE, 8_000.0), rates.update(answer().port(1, 1_000, none, none).make(), SECOND));
  }

  @Test
  void counterThatFell_givesNoRateOnce() {
    rates.update(answer().port(1, 5_000).make(), 0);
    assertEquals(Map.of(), rates.update(answer().port(1, 1_000).make(), SECOND));
    assertEquals(Map.of(ONE, 8.0), rates.update(answer().port(1, 1_001).make(), 2 * SECOND));
  }

  @Test
  void portThatWasMadeAnew_givesNoRateOnce_evenIfItsCounterIsHigher() {
    rates.update(answer().port(1, 5_000, 10, 1).make(), 0);
    assertEquals(Map.of(), rates.update(answer().port(1, 9_000, 0, 900_000_000).make(), SECOND));
    assertEquals(Map.of(ONE, 8.0), rates.update(answer().port(1, 9_001, 1, 900_000_000).make(), 0));
  }

  @Test
  void counterThatWrapsAt64Bits_goesOn() {
    rates.update(answer().port(1, -500).make(), 0);
    assertEquals(Map.of(ONE, 8_000.0), rates.update(answer().port(1, 500).make(), SECOND));
  }

  @Test
  void counterThatIsNotKept_isUnknown() {
    rates.update(answer().port(1, -1).make(), 0);
    assertEquals(Map.of(), rates.update(answer().port(1, -1).make(), SECOND));
  }

  @Test
  void portThatWasAway_startsAnew() {
    rates.update(answer().port(1, 0).make(), 0);
    rates.update(answer().port(2, 0).make(), SECOND);
    assertEquals(
        Map.of(TWO, 8.0), rates.update(answer().port(1, 10).port(2, 1).make(), 2 * SECOND));
  }

  @Test
  void answersAtTheSameTime_giveNoRate() {
    rates.update(answer().port(1, 0).make(), SECOND);
    assertEquals(Map.of(), rates.update(answer().port(1, 1).make(), SECOND));
  }

  @Test
  void answerInParts_isOneAnswer() {
    List<OFPortStatsReply> parts =
        List.of(answer().port(1, 0).make().get(0), answer().port(2, 0).make().get(0));
    rates.update(parts, 0);
    assertEquals(
        Map.of(ONE, 8.0, TWO, 16.0), rates.update(answer().port(1, 1).port(2, 2).make(), SECOND));
  }

  private static PortAnswers answer() {
    return new PortAnswers();
  }
}
