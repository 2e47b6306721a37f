package io.malob.algorithm.graph;

import java.util.Arrays;

/** Colours switches so that neighbours have different colours, if two are enough. */
final class TwoColours {
  private TwoColours() {}

  /** By switch: 1 as the start, or -1; all 0 if two are not enough, or a switch is not reached. */
  static int[] of(SwitchGraph graph) {
    int[] colours = new int[graph.size()];
    int[] queue = new int[graph.size()];
    int queued = 0;
    queue[queued++] = graph.start();
    colours[graph.start()] = 1;
    for (int i = 0; i < queued; i++) {
      for (int neighbor : graph.neighbors(queue[i])) {
        if (colours[neighbor] == colours[queue[i]]) {
          return new int[graph.size()];
        }
        if (colours[neighbor] == 0) {
          colours[neighbor] = -colours[queue[i]];
          queue[queued++] = neighbor;
        }
      }
    }
    return queued == graph.size() ? colours : new int[graph.size()];
  }

  /** How many more switches have the start's colour than the other one; 0 without colours. */
  static int surplus(int[] colours) {
    return Arrays.stream(colours).sum();
  }
}
