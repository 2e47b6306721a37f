package io.malob.algorithm.link;

import java.util.ArrayList;
import java.util.List;

/** Algorithm 2 of the paper on dynamic capacities, by its text, to compare with. */
final class PaperRounds implements UplinkPicker {
  private final List<Integer> numbers = new ArrayList<>();
  private final List<Long> percents = new ArrayList<>();
  private int flowCounter;

  @Override
  public UplinkLoad pick(List<UplinkLoad> usable) {
    if (numbers.isEmpty()) {
      double sum = usable.stream().mapToDouble(UplinkLoad::capacityBps).sum();
      for (UplinkLoad each : usable) {
        numbers.add(each.number());
        percents.add(Math.round(100 * each.capacityBps() / sum));
      }
    }
    int entry = flowCounter++ % numbers.size();
    int number = numbers.get(entry);
    percents.set(entry, percents.get(entry) - 1);
    if (percents.get(entry) == 0) {
      numbers.remove(entry);
      percents.remove(entry);
    }
    return usable.get(number - 1);
  }
}
