package io.malob.algorithm;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A rule for choosing a server and the paths to and from it, by the names of the MALOB thesis
 * (section 3.2, Tables 3.2 and 4.1): a server rule and a path rule, as in {@code RR+SPH}, or one
 * rule for both, as in {@code SL-PS}.
 *
 * @param name the name that users see
 */
public record Algorithm(String name) {

  /** What is used where nothing else is said (Table 3.2 of the thesis). */
  public static final Algorithm DEFAULT = new Algorithm("SL-PS");

  private static final List<String> SERVER_RULES = List.of("RR", "WRR", "LC", "CPU", "P2C");
  private static final List<String> PATH_RULES = List.of("SPH", "SPL", "HTP");
  private static final List<String> JOINT_RULES = List.of("SL-PS", "HT-PS", "PCT");
  private static final List<String> NAMES =
      Stream.concat(
              SERVER_RULES.stream()
                  .flatMap(server -> PATH_RULES.stream().map(path -> server + "+" + path)),
              JOINT_RULES.stream())
          .toList();

  /** The ids of the thesis, the methods of Floodlight's own load balancer, and what suits all. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "1", "SL-PS",
          "2", "HT-PS",
          "3", "CPU+SPL",
          "CPU", "CPU+SPL",
          "AUTO", "PCT",
          "ROUND_ROBIN", "RR+SPH",
          "WEIGHTED_RR", "WRR+SPH");

  /**
   * The algorithm of that name, in any case; empty if there is no such algorithm. A server rule
   * alone is meant with SPH, except CPU, which the thesis combines with SPL.
   */
  public static Optional<Algorithm> named(String text) {
    String upper = text.trim().toUpperCase(Locale.ROOT);
    String alias = ALIASES.getOrDefault(upper, upper);
    String name = SERVER_RULES.contains(alias) ? alias + "+SPH" : alias;
    return NAMES.contains(name) ? Optional.of(new Algorithm(name)) : Optional.empty();
  }

  /** The names of all algorithms. */
  public static List<String> names() {
    return NAMES;
  }

  /** Whether one rule chooses both server and paths. */
  public boolean isJoint() {
    return JOINT_RULES.contains(name);
  }

  /** The server rule, or the joint rule. */
  public String serverRule() {
    return parts()[0];
  }

  /** The path rule, or the joint rule. */
  public String pathRule() {
    String[] parts = parts();
    return parts[parts.length - 1];
  }

  private String[] parts() {
    return name.split("\\+", 2);
  }
}
