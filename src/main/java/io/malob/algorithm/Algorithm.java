package io.malob.algorithm;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.joint.JointRules;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A rule for choosing a server and the paths to and from it, by the names of the MALOB thesis
 * (section 3.2, Tables 3.2 and 4.1): a server rule and a path rule, as in {@code RR+SPH}, or one
 * rule for both, as in {@code SL-PS}. The rules are {@link ServerRule}, {@link PathRule} and {@link
 * JointRules}: a new rule is a class and its line there, and no other code lists them all.
 *
 * @param name the name that users see
 */
public record Algorithm(String name) {

  /** The default (Table 3.2 of the thesis). */
  public static final Algorithm DEFAULT = new Algorithm("SL-PS");

  private static final Set<String> JOINT_RULES =
      Arrays.stream(JointRules.values())
          .map(JointRules::text)
          .collect(Collectors.toUnmodifiableSet());

  /** The path rules and joint rules that ask for the widest paths. */
  private static final Set<String> RULES_BY_WIDTH =
      Stream.concat(
              Arrays.stream(PathRule.values()).filter(PathRule::isByWidth).map(Enum::name),
              Arrays.stream(JointRules.values())
                  .filter(JointRules::isByWidth)
                  .map(JointRules::text))
          .collect(Collectors.toUnmodifiableSet());

  /**
   * The description of each algorithm by its name: the joint rules, then all pairs of the others.
   */
  private static final ImmutableMap<String, String> DESCRIPTIONS = describeAll();

  /**
   * The ids of the thesis and the methods of Floodlight's own load balancer, with their algorithms.
   */
  private static final Map<String, String> ALIASES =
      Map.of(
          "1", "SL-PS",
          "2", "HT-PS",
          "3", "CPU+SPL",
          "CPU", "CPU+SPL",
          "AUTO", "PCT",
          "ROUND_ROBIN", "RR+SPH",
          "WEIGHTED_RR", "WRR+SPH");

  private static ImmutableMap<String, String> describeAll() {
    ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
    for (JointRules rule : JointRules.values()) {
      all.put(rule.text(), rule.description);
    }
    for (ServerRule server : ServerRule.values()) {
      for (PathRule path : PathRule.values()) {
        all.put(server + "+" + path, server.description + ", " + path.description);
      }
    }
    return all.build();
  }

  /**
   * The algorithm of that name, in any case; empty if there is no such algorithm. A server rule
   * alone is combined with SPH, except CPU, which the thesis combines with SPL, and PREQUAL, which
   * is also the joint rule of that name.
   */
  public static Optional<Algorithm> named(String text) {
    String upper = text.trim().toUpperCase(Locale.ROOT);
    String alias = ALIASES.getOrDefault(upper, upper);
    String name = DESCRIPTIONS.containsKey(alias) ? alias : alias + "+SPH";
    return DESCRIPTIONS.containsKey(name) ? Optional.of(new Algorithm(name)) : Optional.empty();
  }

  /** The names of all algorithms. */
  public static List<String> names() {
    return DESCRIPTIONS.keySet().asList();
  }

  /** A short description of each algorithm, by its name. */
  public static ImmutableMap<String, String> descriptions() {
    return DESCRIPTIONS;
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

  /** Whether the servers take turns, regardless of their load. */
  public boolean isByTurns() {
    return !isJoint() && ServerRule.valueOf(serverRule()).isByTurns();
  }

  /** Whether the algorithm needs to know how long servers take for connections. */
  public boolean isByResponseTimes() {
    return name.startsWith(ServerRule.PREQUAL.name());
  }

  /** Whether the algorithm needs the widest paths. */
  public boolean isByWidth() {
    return RULES_BY_WIDTH.contains(pathRule());
  }

  private String[] parts() {
    return name.split("\\+", 2);
  }
}
