package net.floodlightcontroller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What Floodlight's API is, from floodlight-api.tsv. */
public final class FloodlightFacts {
  private static final Pattern NAME = Pattern.compile("[a-z]\\w*(\\.\\w+)+(\\$\\w+)*");
  private static final Map<String, List<Fact>> FACTS = facts();

  /** One row of the facts. */
  record Fact(
      String type,
      String kind,
      String member,
      String parameters,
      String returns,
      String modifiers,
      String constant) {

    boolean isStatic() {
      return modifiers.contains("static");
    }

    boolean isField() {
      return parameters.equals("(field)");
    }
  }

  private static Map<String, List<Fact>> facts() {
    Map<String, List<Fact>> facts = new LinkedHashMap<>();
    try (InputStream in = FloodlightFacts.class.getResourceAsStream("/floodlight-api.tsv")) {
      new String(in.readAllBytes(), UTF_8)
          .lines()
          .skip(1)
          .map(line -> line.split("\t", -1))
          .map(row -> new Fact(row[0], row[1], row[2], row[3], row[4], row[5], row[6]))
          .forEach(fact -> facts.computeIfAbsent(fact.type, any -> new ArrayList<>()).add(fact));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return facts;
  }

  private FloodlightFacts() {}

  /** The rows of a type, its own first; none if Floodlight does not have it. */
  static List<Fact> of(String type) {
    return FACTS.getOrDefault(type, List.of());
  }

  /** Whether Floodlight has the type. */
  public static boolean has(String type) {
    return FACTS.containsKey(type);
  }

  /** The types that a type of Floodlight extends and implements, all that are named. */
  public static List<String> parents(String type) {
    return of(type).stream()
        .filter(fact -> fact.member.equals("TYPE"))
        .flatMap(fact -> NAME.matcher(fact.parameters).results())
        .map(MatchResult::group)
        .collect(Collectors.toList());
  }

  /**
   * The members that a type declares, erased: {@code static name(type, type): type}, {@code name:
   * type}, {@code <constructor>(type)}.
   */
  public static Set<String> signatures(String type) {
    List<Fact> facts = of(type);
    Set<String> signatures = new TreeSet<>();
    Map<String, String> ofType = new HashMap<>();
    for (Fact fact : facts) {
      if (fact.member.equals("TYPE")) {
        ofType.putAll(Erasure.variables(fact.parameters));
        continue;
      }
      Map<String, String> variables = new HashMap<>(ofType);
      variables.putAll(Erasure.variables(fact.returns));
      String prefix = fact.isStatic() ? "static " : "";
      String returns = Erasure.of(Erasure.withoutVariables(fact.returns), variables);
      if (fact.isField()) {
        signatures.add(prefix + fact.member + ": " + returns);
      } else {
        String parameters =
            Erasure.split(fact.parameters).stream()
                .map(parameter -> Erasure.of(parameter, variables))
                .collect(Collectors.joining(", ", "(", ")"));
        boolean constructor = fact.member.equals("<constructor>");
        signatures.add(prefix + fact.member + parameters + (constructor ? "" : ": " + returns));
      }
    }
    return signatures;
  }

  /** Takes type arguments out of types that are written as in source. */
  static final class Erasure {
    private Erasure() {}

    /** The erased type. */
    static String of(String type, Map<String, String> variables) {
      String plain = type.trim().replace("...", "[]");
      String raw = plain;
      int open = plain.indexOf('<');
      if (open >= 0) {
        raw = plain.substring(0, open) + plain.substring(end(plain, open) + 1);
      }
      int array = raw.indexOf('[');
      String element = array < 0 ? raw : raw.substring(0, array);
      return variables.getOrDefault(element, element) + (array < 0 ? "" : raw.substring(array));
    }

    /** The type variables at the front of a text, with the erasure of their bounds. */
    static Map<String, String> variables(String text) {
      Map<String, String> variables = new HashMap<>();
      if (text.startsWith("<")) {
        for (String declaration : split(text.substring(1, end(text, 0)))) {
          String[] parts = declaration.split(" extends ", 2);
          String bound = parts.length > 1 ? parts[1].split(" & ", 2)[0] : "java.lang.Object";
          variables.put(parts[0].trim(), of(bound, variables));
        }
      }
      return variables;
    }

    static String withoutVariables(String text) {
      return text.startsWith("<") ? text.substring(end(text, 0) + 1).trim() : text;
    }

    /** The parts between the commas that stand outside of type arguments. */
    static List<String> split(String text) {
      List<String> parts = new ArrayList<>();
      int depth = 0;
      int start = 0;
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (c == ',' && depth == 0) {
          parts.add(text.substring(start, i).trim());
          start = i + 1;
        }
      }
      if (!text.isBlank()) {
        parts.add(text.substring(start).trim());
      }
      return parts;
    }

    private static int end(String text, int open) {
      int depth = 0;
      for (int i = open; i < text.length(); i++) {
        depth += text.charAt(i) == '<' ? 1 : text.charAt(i) == '>' ? -1 : 0;
        if (depth == 0) {
          return i;
        }
      }
      throw new IllegalArgumentException("no end of type arguments: " + text);
    }
  }
}
