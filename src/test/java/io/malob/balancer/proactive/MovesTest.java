package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.bucket.Bucket.Cause;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class MovesTest {
  private static final DatapathId EDGE = DatapathId.of(1);

  private final Moves moves = new Moves();

  @Test
  void movesOfOneStep_areOneEntry() {
    moves.add(EDGE, 1, 2, Cause.DRAINED, 5);
    moves.add(EDGE, 1, 2, Cause.DRAINED, 5);
    moves.add(EDGE, 1, 3, Cause.DRAINED, 5);
    moves.add(EDGE, 1, 3, Cause.DRAINED, 6);
    moves.add(DatapathId.of(2), 1, 3, Cause.DRAINED, 6);

    assertEquals(5, moves.total());
    assertEquals(List.of(2, 1, 1, 1), moves.recent().stream().map(Moves.Recent::buckets).toList());
  }

  @Test
  void onlyTheLatest_areShown_oldestFirst() {
    for (int step = 0; step < 100; step++) {
      moves.add(EDGE, 1, 2, Cause.SHARES, step);
    }

    assertEquals(100, moves.total());
    assertEquals(32, moves.recent().size());
    assertEquals(68, moves.recent().get(0).atNanos());
    assertEquals(99, moves.recent().get(31).atNanos());
  }
}
