package io.malob.algorithm.subflow;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers as people read them. */
final class Numbers {
  private Numbers() {}

  /** With three decimal places at most. */
  static String text(double value) {
    return BigDecimal.valueOf(value)
        .setScale(3, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }
}
