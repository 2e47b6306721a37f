package io.malob.module;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that a misspelled name was probably meant to be. */
public final class NearestName {
  private NearestName() {}

  /**
   * The name with the smallest Levenshtein distance, ignoring case; empty if more than a third of
   * its letters differ, so that it is probably another word.
   */
  public static Optional<String> of(String wrong, Collection<String> names) {
    return names.stream()
        .min(
            Comparator.comparingInt((String name) -> distance(wrong, name))
                .thenComparing(Comparator.naturalOrder()))
        .filter(name -> distance(wrong, name) <= Math.max(2, lastPart(wrong).length() / 3));
  }

  /** Ignores the common part of all names of a module. */
  private static String lastPart(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static int distance(String one, String other) {
    String a = one.toLowerCase(Locale.ROOT);
    String b = other.toLowerCase(Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
