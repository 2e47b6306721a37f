package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.subflow.Counter;
import io.malob.algorithm.subflow.Footprint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A route for each demand, and the resulting loads of links. One thread only. */
final class Assignment {
  private final ImmutableList<Choice> choices;
  private final int[][] ways;
  private final Footprint[] footprints;
  private final @Nullable Neighborhood[] neighborhoods;
  private final AnnealingLoads loads;

  /**
   * Each demand with an initial route.
   *
   * @param ways one for each choice
   * @param loads the background loads of links
   */
  Assignment(List<Choice> choices, List<int[]> ways, AnnealingLoads loads) {
    this.choices = ImmutableList.copyOf(choices);
    this.loads = loads;
    this.ways = ways.toArray(int[][]::new);
    footprints = new Footprint[this.ways.length];
    neighborhoods = new Neighborhood[this.ways.length];
    for (int i = 0; i < this.ways.length; i++) {
      footprints[i] = this.choices.get(i).counter().count(this.ways[i]);
      loads.add(footprints[i]);
    }
  }

  int size() {
    return ways.length;
  }

  Choice choice(int index) {
    return choices.get(index);
  }

  /** The links of a demand's way. */
  int[] way(int index) {
    return ways[index];
  }

  Footprint footprint(int index) {
    return footprints[index];
  }

  AnnealingLoads loads() {
    return loads;
  }

  /** Puts a demand on another way. */
  void set(int index, int[] way) {
    set(index, way, choices.get(index).counter().count(way));
  }

  /** Puts a demand on another way that has been counted. */
  void set(int index, int[] way, Footprint footprint) {
    loads.remove(footprints[index]);
    loads.add(footprint);
    replace(index, way, footprint);
  }

  private void replace(int index, int[] way, Footprint footprint) {
    ways[index] = way;
    footprints[index] = footprint;
    neighborhoods[index] = null;
  }

  /** The ways near to a demand's way. */
  Neighborhood around(int index) {
    @Nullable Neighborhood known = neighborhoods[index];
    if (known == null) {
      known = choices.get(index).ways().around(ways[index]);
      neighborhoods[index] = known;
    }
    return known;
  }

  /** The increase of the energy by the drawn change of a demand's route. */
  double energyChange(int index, Neighborhood around) {
    Counter counter = choices.get(index).counter();
    return counter.isWhole()
        ? loads.energyChange(around, counter.subflows())
        : loads.energyChange(footprints[index], counter.count(around.changed()));
  }

  /** Makes the drawn change of a demand's route. */
  void change(int index, Neighborhood around) {
    int[] way = around.changed();
    Counter counter = choices.get(index).counter();
    Footprint footprint = counter.count(way);
    if (counter.isWhole()) {
      loads.change(around, counter.subflows());
      replace(index, way, footprint);
    } else {
      set(index, way, footprint);
    }
  }

  /** All ways as they are now. */
  int[][] ways() {
    return ways.clone();
  }

  /** Puts all demands on these ways. */
  void restore(int[][] saved) {
    for (int i = 0; i < ways.length; i++) {
      if (ways[i] != saved[i]) {
        set(i, saved[i]);
      }
    }
  }
}
