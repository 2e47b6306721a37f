package io.malob.bench.micro;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** A network to measure on: switches in rows, each linked to its neighbours to all four sides. */
public enum Shape {
  /** Ten switches in a line. */
  LINE_10(10, 1),
  /** A hundred switches, ten by ten. */
  MESH_100(10, 10);

  private static final int EAST = 1;
  private static final int WEST = 2;
  private static final int SOUTH = 3;
  private static final int NORTH = 4;

  private final int columns;
  private final int rows;

  Shape(int columns, int rows) {
    this.columns = columns;
    this.rows = rows;
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
    return links.build();
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
