package io.malob.algorithm.subflow;

/**
 * Whether a plan is proven to have the smallest maximum, and then the smallest spread.
 *
 * @param proof the proof, or why there is none, in sentences
 */
record Verdict(boolean isOptimal, String proof) {

  /** The verdict of bounds. */
  static Verdict byBounds(Score score, Bounds bounds) {
    String maximum = Numbers.text(bounds.maximum());
    String minimum = Numbers.text(bounds.minimum());
    if (bounds.areReachedBy(score)) {
      return new Verdict(
          true,
          "By the numbers of links and switches, no plan has a maximum below "
              + maximum
              + " or a minimum above "
              + minimum
              + ".");
    }
    String known =
        Score.compare(score.maximum(), bounds.maximum()) <= 0
            ? "No plan has a smaller maximum. It is not known whether a plan with this maximum has"
                + " a minimum above "
                + Numbers.text(score.minimum())
                + "; none has a minimum above "
                + minimum
            : "It is not known whether a plan has a maximum below "
                + Numbers.text(score.maximum())
                + "; none has a maximum below "
                + maximum;
    return new Verdict(false, "Not all plans were examined. " + known + ".");
  }

  /** The verdict after the examination of all plans. */
  static Verdict byExhaustion(Score score, int looked) {
    return new Verdict(
        true,
        "All plans were examined ("
            + looked
            + " different loads, without provably worse ones): none has a maximum below "
            + Numbers.text(score.maximum())
            + ", or with that maximum a minimum above "
            + Numbers.text(score.minimum())
            + ".");
  }
}
