package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Score;

/**
 * Whether a plan is proven to have the smallest maximum, and then the smallest spread.
 *
 * @param proof the proof, or why there is none, in sentences
 */
record Verdict(boolean isOptimal, String proof) {

  /** The verdict of bounds. */
  static Verdict byBounds(Score score, Bounds bounds) {
    Number maximum = Score.rounded(bounds.maximum());
    Number minimum = Score.rounded(bounds.minimum());
    if (bounds.areReachedBy(score)) {
      return new Verdict(
          true,
          String.format(
              "By the numbers of links and switches, no plan has a maximum below %s or a minimum"
                  + " above %s.",
              maximum, minimum));
    }
    String known =
        Score.compare(score.maximum(), bounds.maximum()) <= 0
            ? String.format(
                "No plan has a smaller maximum. It is not known whether a plan with this maximum"
                    + " has a minimum above %s; none has a minimum above %s",
                Score.rounded(score.minimum()), minimum)
            : String.format(
                "It is not known whether a plan has a maximum below %s; none has a maximum below"
                    + " %s",
                Score.rounded(score.maximum()), maximum);
    return new Verdict(false, "Not all plans were examined. " + known + ".");
  }

  /** The verdict after the examination of all plans. */
  static Verdict byExhaustion(Score score, int looked) {
    return new Verdict(
        true,
        String.format(
            "All plans were examined (%d different loads, without provably worse ones): none has a"
                + " maximum below %s, or with that maximum a minimum above %s.",
            looked, Score.rounded(score.maximum()), Score.rounded(score.minimum())));
  }
}
