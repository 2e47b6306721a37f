package io.malob.capability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.malob.testing.LogLines;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** Warnings before a table is full. */
class TableFillTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final String WARNING =
      "table_nearly_full switch=00:00:00:00:00:00:00:01 table=0 rules=%d max=1000";
  private static final String ROOM =
      "table_has_room switch=00:00:00:00:00:00:00:01 table=0 rules=%d";

  private final AtomicLong nanoTime = new AtomicLong();
  private final TableFill fill = new TableFill(nanoTime::get);
  private LogLines log;

  @BeforeEach
  void start() {
    log = LogLines.of(TableFill.class);
    fill.setMax(S1, ImmutableMap.of(0, 1_000L, 1, 0L));
  }

  @AfterEach
  void end() {
    log.close();
  }

  private List<String> linesAfter(long rules) {
    fill.setRules(S1, rules == 0 ? ImmutableMap.of() : ImmutableMap.of(0, rules));
    return log.takeEvents();
  }

  @Test
  void table_isWarnedOfOnceAtNinetyPercent_untilItIsBelowEighty() {
    assertEquals(List.of(), linesAfter(899));
    assertEquals(List.of(WARNING.formatted(900)), linesAfter(900));
    assertEquals(List.of(), linesAfter(1_000));
    assertEquals(List.of(), linesAfter(800));
    assertEquals(List.of(), linesAfter(950));
    assertEquals(List.of(ROOM.formatted(799)), linesAfter(799));
    assertEquals(List.of(), linesAfter(800));
    assertEquals(List.of(WARNING.formatted(900)), linesAfter(900));
    assertEquals(List.of(ROOM.formatted(0)), linesAfter(0));
  }

  @Test
  void tableWhoseMaxIsNotKnown_isNotWarnedOf() {
    fill.setRules(S1, ImmutableMap.of(2, 1_000_000L));
    assertEquals(List.of(), log.takeEvents());
    assertEquals(
        Map.of(S1, Map.of(2, new TableUse(1_000_000, OptionalLong.empty()))), fill.tables());
  }

  @Test
  void maxThatComesLater_counts() {
    fill.setRules(S1, ImmutableMap.of(2, 10L));
    fill.setMax(S1, ImmutableMap.of(2, 10L));
    fill.setRules(S1, ImmutableMap.of(2, 10L));
    assertEquals(
        List.of("table_nearly_full switch=00:00:00:00:00:00:00:01 table=2 rules=10 max=10"),
        log.takeEvents());
    assertEquals(Map.of(S1, Map.of(2, new TableUse(10, OptionalLong.of(10)))), fill.tables());
  }

  @Test
  void switchThatNoLongerTells_isMissing() {
    fill.setRules(S1, ImmutableMap.of(0, 10L));
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(39));
    assertEquals(1, fill.tables().size());
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertEquals(Map.of(), fill.tables());
  }

  @Test
  void switchThatHasGone_isForgotten_andWarnedOfAnew() {
    assertEquals(List.of(WARNING.formatted(900)), linesAfter(900));
    fill.forget(S1);
    assertEquals(Map.of(), fill.tables());
    fill.setMax(S1, ImmutableMap.of(0, 1_000L));
    assertEquals(List.of(WARNING.formatted(900)), linesAfter(900));
  }
}
