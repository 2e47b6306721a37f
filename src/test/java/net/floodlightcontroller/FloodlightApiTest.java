package net.floodlightcontroller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
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
    List<FloodlightFacts.Fact> facts = FloodlightFacts.of(type.getName());
    assertFalse(facts.isEmpty(), "Floodlight has no " + type.getName());
    assertEquals(facts.get(0).kind(), kindOf(type), type.getName());
    String heading = facts.get(0).parameters();
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
    Set<String> theirs = FloodlightFacts.signatures(type.getName());
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
      FloodlightFacts.Fact fact =
          FloodlightFacts.of(type.getName()).stream()
              .filter(row -> row.isField() && row.member().equals(field.getName()))
              .findFirst()
              .orElseThrow();
      Object value = field.get(null);
      String written = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
      assertEquals(fact.constant(), written, field.toString());
    }
  }

  /** Floodlight would call what is missing: the module would fail while it runs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
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
    assertEquals(FloodlightFacts.signatures(type.getName()), signaturesOf(type));
    Set<String> parents =
        Arrays.stream(type.getInterfaces()).map(Class::getName).collect(Collectors.toSet());
    String heading = FloodlightFacts.of(type.getName()).get(0).parameters();
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

  @Test
  void erasure_ofGenericText_isWhatTheLinkerSees() {
    Map<String, String> variables =
        FloodlightFacts.Erasure.variables("<R extends a.B<c.D>, T> e.F<R>");
    assertEquals(Map.of("R", "a.B", "T", "java.lang.Object"), variables);
    assertEquals(
        "e.F",
        FloodlightFacts.Erasure.of(
            FloodlightFacts.Erasure.withoutVariables("<R extends a.B<c.D>> e.F<R>"), variables));
    assertEquals("a.B", FloodlightFacts.Erasure.of("R", variables));
    assertEquals("java.lang.Object[]", FloodlightFacts.Erasure.of("T[]", variables));
    assertEquals("x.Y[]", FloodlightFacts.Erasure.of("x.Y<T>...", variables));
    assertEquals(List.of("a.B<c, d>", "e"), FloodlightFacts.Erasure.split("a.B<c, d>, e"));
    assertFalse(FloodlightFacts.Erasure.split("").iterator().hasNext());
  }
}
