package io.malob.bench.micro;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import java.util.Random;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A network to measure on: switches in rows, each linked to its neighbours to all four sides, or a
 * ring with chords at random, the same each time.
 */
public enum Shape {
  /** Ten switches in a line. */
  LINE_10(10, 1),
  /** A hundred switches, ten by ten. */
  MESH_100(10, 10),
  /** Nine switches, three by three, the number in the thesis. */
  MESH_9(3, 3),
  /** A thousand switches and four thousand links. */
  CHORDS_1000(1_000, 1, 3_001);

  private static final int EAST = 1;
  private static final int WEST = 2;
  private static final int SOUTH = 3;
  private static final int NORTH = 4;
  private static final int FIRST_CHORD = 5;

  private final int columns;
  private final int rows;
  private final int chords;

  Shape(int columns, int rows) {
    this(columns, rows, 0);
  }

  Shape(int columns, int rows, int chords) {
    this.columns = columns;
    this.rows = rows;
    this.chords = chords;
  }

  /** All switches, by id. */
  ImmutableList<DatapathId> switches() {
    return IntStream.rangeClosed(1, columns * rows)
        .mapToObj(DatapathId::of)
        .collect(ImmutableList.toImmutableList());
  }

  /** All links, both directions of each. */
  ImmutableList<DirectedLink> links() {
    ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        if (column + 1 < columns) {
          addBoth(links, at(column, row), EAST, at(column + 1, row), WEST);
        }
        if (row + 1 < rows) {
          addBoth(links, at(column, row), SOUTH, at(column, row + 1), NORTH);
        }
      }
    }
    addChords(links);
    return links.build();
  }

  private void addChords(ImmutableList.Builder<DirectedLink> links) {
    Random random = new Random(chords);
    for (int chord = 0; chord < chords; chord++) {
      int from = random.nextInt(columns);
      int to = (from + 2 + random.nextInt(columns - 3)) % columns;
      int port = FIRST_CHORD + chord;
      addBoth(links, at(from, 0), port, at(to, 0), port);
    }
  }

  private DatapathId at(int column, int row) {
    return DatapathId.of(1L + row * (long) columns + column);
  }

  private static void addBoth(
      ImmutableList.Builder<DirectedLink> links,
      DatapathId a,
      int portOfA,
      DatapathId b,
      int portOfB) {
    links.add(new DirectedLink(a, OFPort.of(portOfA), b, OFPort.of(portOfB)));
    links.add(new DirectedLink(b, OFPort.of(portOfB), a, OFPort.of(portOfA)));
  }
}
