package net.floodlightcontroller;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whether what we declare of Floodlight's API is as Floodlight has it: else a module that was
 * compiled here would not link there. The facts are in floodlight-api.tsv; types are compared as
 * the linker sees them, without type arguments.
 */
class FloodlightApiTest {
  private static final Map<String, List<Fact>> FACTS = facts();

  /** One row of the facts. */
  private record Fact(
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
    try (InputStream in = FloodlightApiTest.class.getResourceAsStream("/floodlight-api.tsv")) {
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

  static Stream<Class<?>> declaredTypes() {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("net.floodlightcontroller")
            .stream()
            .filter(type -> !type.isAnonymousClass() && !type.isLocalClass())
            .sorted((a, b) -> a.getName().compareTo(b.getName()))
            .map(JavaClass::reflect);
  }

  @Test
  void scan_findsTheTypes() {
    assertTrue(declaredTypes().count() >= 30);
  }

  @ParameterizedTest
  @MethodSource("declaredTypes")
  void type_thatWeDeclare_isFloodlights(Class<?> type) {
    List<Fact> facts = FACTS.get(type.getName());
    assertTrue(facts != null, "Floodlight has no " + type.getName());
    assertEquals(facts.get(0).kind, kindOf(type), type.getName());
    String heading = facts.get(0).parameters;
    for (Class<?> parent : type.getInterfaces()) {
      assertTrue(heading.contains(parent.getName()), type + " is no " + parent.getName());
    }
  }

  private static String kindOf(Class<?> type) {
    if (type.isEnum()) {
      return "enum";
    }
    return type.isInterface() ? "interface" : "class";
  }

  @ParameterizedTest
  @MethodSource("declaredTypes")
  void members_thatWeDeclare_areFloodlights(Class<?> type) {
    Set<String> theirs = signaturesInFacts(type.getName());
    Set<String> unknown = new TreeSet<>(signaturesOf(type));
    unknown.removeAll(theirs);
    assertEquals(Set.of(), unknown, () -> type.getName() + " has " + String.join("\n", theirs));
  }

  @ParameterizedTest
  @MethodSource("declaredTypes")
  void constants_thatWeDeclare_haveFloodlightsValues(Class<?> type) throws Exception {
    for (Field field : type.getDeclaredFields()) {
      boolean constant = field.getType().isPrimitive() || field.getType() == String.class;
      if (!isVisible(field.getModifiers())
          || !Modifier.isStatic(field.getModifiers())
          || !constant) {
        continue;
      }
      Fact fact =
          FACTS.get(type.getName()).stream()
              .filter(row -> row.isField() && row.member.equals(field.getName()))
              .findFirst()
              .orElseThrow();
      Object value = field.get(null);
      String written = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
      assertEquals(fact.constant, written, field.toString());
    }
  }

  /** Floodlight would call what is missing: the module would fail while it runs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "core.IInfoProvider",
        "core.IListener",
        "core.IListener$Command",
        "core.IOFMessageListener",
        "core.IOFSwitchListener",
        "core.IShutdownListener",
        "core.PortChangeType",
        "core.module.IFloodlightModule",
        "devicemanager.IDeviceListener",
        "linkdiscovery.ILinkDiscoveryListener",
        "restserver.RestletRoutable",
        "topology.ITopologyListener"
      })
  void interface_thatModulesImplement_isWhole(String name) throws Exception {
    Class<?> type = Class.forName("net.floodlightcontroller." + name);
    assertEquals(signaturesInFacts(type.getName()), signaturesOf(type));
    Set<String> parents =
        Arrays.stream(type.getInterfaces()).map(Class::getName).collect(Collectors.toSet());
    String heading = FACTS.get(type.getName()).get(0).parameters;
    assertEquals(parents.isEmpty() || type.isEnum(), !heading.matches("extends net.*"));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers);
  }

  /** The public members that a type declares, as text. */
  private static Set<String> signaturesOf(Class<?> type) {
    Set<String> signatures = new TreeSet<>();
    for (Method method : type.getDeclaredMethods()) {
      if (isVisible(method.getModifiers()) && !method.isSynthetic()) {
        signatures.add(
            signature(
                method.getModifiers(),
                method.getName() + parameters(method),
                method.getReturnType()));
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (isVisible(constructor.getModifiers()) && !constructor.isSynthetic()) {
        signatures.add("<constructor>" + parameters(constructor));
      }
    }
    for (Field field : type.getDeclaredFields()) {
      if (isVisible(field.getModifiers()) && !field.isSynthetic()) {
        signatures.add(signature(field.getModifiers(), field.getName(), field.getType()));
      }
    }
    return signatures;
  }

  private static String signature(int modifiers, String text, Class<?> type) {
    return (Modifier.isStatic(modifiers) ? "static " : "") + text + ": " + type.getTypeName();
  }

  private static String parameters(Executable executable) {
    return Arrays.stream(executable.getParameterTypes())
        .map(Class::getTypeName)
        .collect(Collectors.joining(", ", "(", ")"));
  }

  /** The members of a type in the facts, as the same text. */
  private static Set<String> signaturesInFacts(String type) {
    List<Fact> facts = FACTS.getOrDefault(type, List.of());
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

  @Test
  void erasure_ofGenericText_isWhatTheLinkerSees() {
    Map<String, String> variables = Erasure.variables("<R extends a.B<c.D>, T> e.F<R>");
    assertEquals(Map.of("R", "a.B", "T", "java.lang.Object"), variables);
    assertEquals(
        "e.F", Erasure.of(Erasure.withoutVariables("<R extends a.B<c.D>> e.F<R>"), variables));
    assertEquals("a.B", Erasure.of("R", variables));
    assertEquals("java.lang.Object[]", Erasure.of("T[]", variables));
    assertEquals("x.Y[]", Erasure.of("x.Y<T>...", variables));
    assertEquals(List.of("a.B<c, d>", "e"), Erasure.split("a.B<c, d>, e"));
    assertFalse(Erasure.split("").iterator().hasNext());
  }

  /** Takes type arguments out of types that are written as in source. */
  private static final class Erasure {
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
