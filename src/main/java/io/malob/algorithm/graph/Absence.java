package io.malob.algorithm.graph;

import java.util.Optional;
import java.util.stream.IntStream;

/** Proves by a graph's structure that no path covers it, and gives the reason. */
record Absence(SwitchGraph graph) {
  /** The reason after a complete search, if the structure proves nothing. */
  static final String ALL_TRIED = "every path ends before it has visited all switches";

  /**
   * Why no path from the start covers all, as a part of a sentence; empty if the structure proves
   * nothing.
   */
  static Optional<String> of(SwitchGraph graph) {
    return new Absence(graph).reason();
  }

  private Optional<String> reason() {
    Remainder rest = new Remainder(graph, new StepBudget(Long.MAX_VALUE));
    rest.remove(graph.start());
    Obstacle obstacle = rest.obstacle(graph.start());
    return switch (obstacle) {
      case NONE -> Optional.empty();
      case UNREACHED ->
          Optional.of(
              String.format(
                  "%s cannot be reached without passing %s again",
                  name(rest.culprit()), graph.ingress()));
      case JUNCTION -> pendants().or(() -> Optional.of(junction(rest.culprit())));
      case DEAD_ENDS ->
          pendants().or(() -> Optional.of(deadEnds(rest.culprit(), rest.otherCulprit())));
      case COLOURS -> pendants().or(() -> Optional.of(colours(rest.culprit())));
    };
  }

  /** Two switches that can only be the last. */
  private Optional<String> pendants() {
    int[] found =
        IntStream.range(0, graph.size())
            .filter(number -> number != graph.start() && graph.neighbors(number).length == 1)
            .limit(2)
            .toArray();
    return found.length < 2
        ? Optional.empty()
        : Optional.of(
            String.format(
                "%s and %s have only one neighbour each besides %s",
                name(found[0]), name(found[1]), graph.ingress()));
  }

  private String junction(int culprit) {
    return culprit == graph.start()
        ? name(culprit)
            + " joins separate parts of the network, and a path that begins there can reach only"
            + " one of them"
        : name(culprit)
            + " joins three or more parts of the network, and a path passes it only once";
  }

  private String deadEnds(int culprit, int other) {
    return "there are dead ends behind " + name(culprit) + " and behind " + name(other);
  }

  private String colours(int culprit) {
    String alternate = "a path would alternate between two groups of switches, ";
    if (culprit != graph.start()) {
      return alternate + "and behind " + name(culprit) + " one of them is too large";
    }
    int surplus = TwoColours.surplus(TwoColours.of(graph));
    return String.format(
        "%swith %d and %d switches besides %s",
        alternate, (graph.size() + surplus) / 2, (graph.size() - surplus) / 2, graph.ingress());
  }

  private String name(int number) {
    return graph.switchId(number).toString();
  }
}
