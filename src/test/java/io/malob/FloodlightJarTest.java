package io.malob;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Splitter;
import io.malob.module.BaseModule;
import io.malob.testing.ClassFile;
import io.malob.testing.ClassFile.Ref;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.floodlightcontroller.FloodlightFacts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whether the jar for real Floodlight will work there: what is in it, and that all it refers to is
 * in Floodlight's API or in the libraries on Floodlight's class path, which are older than ours.
 * The build puts both into target/ before the tests.
 */
class FloodlightJarTest {
  /** Serves the end host alone, where there is no balancer whose REST module does. */
  private static final String INSTEAD_OF_BALANCERS = "io.malob.rest.EndhostRestModule";

  private static final Path JAR = Path.of("target", "floodlight-module");
  private static final Path LIBRARIES = Path.of("target", "floodlight-class-path");
  private static final String SERVICES =
      "META-INF/services/net.floodlightcontroller.core.module.IFloodlightModule";
  private static final String PROPERTIES = "malob-floodlight.properties";
  private static final String FLOODLIGHT = "net.floodlightcontroller.";

  private static URLClassLoader libraries;
  private static List<ClassFile> modules;

  private final Map<String, Optional<ClassFile>> known = new HashMap<>();

  @BeforeAll
  static void read() throws IOException {
    try (Stream<Path> files = Files.list(LIBRARIES)) {
      libraries =
          new URLClassLoader(
              files.map(FloodlightJarTest::url).toArray(URL[]::new),
              ClassLoader.getPlatformClassLoader());
    }
    modules = new ArrayList<>();
    for (String file : filesInJar()) {
      if (file.endsWith(".class")) {
        try (InputStream in = Files.newInputStream(JAR.resolve(file))) {
          modules.add(ClassFile.read(in));
        }
      }
    }
  }

  @AfterAll
  static void close() throws IOException {
    libraries.close();
  }

  private static URL url(Path file) {
    try {
      return file.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> filesInJar() throws IOException {
    try (Stream<Path> files = Files.walk(JAR)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> JAR.relativize(file).toString().replace('\\', '/'))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  @Test
  void jar_holdsModulePackagesOnly() throws IOException {
    Set<String> folders = new TreeSet<>();
    Set<String> page = new TreeSet<>();
    Set<String> others = new TreeSet<>();
    for (String file : filesInJar()) {
      Path path = Path.of(file);
      if (path.startsWith(Path.of("io", "malob")) && path.getNameCount() > 3) {
        folders.add(path.getName(2).toString());
      } else if (path.startsWith("web")) {
        page.add(file);
      } else {
        others.add(file);
      }
    }
    assertEquals(
        Set.of(
            "agent",
            "algorithm",
            "balancer",
            "capability",
            "endhost",
            "file",
            "json",
            "latency",
            "mptcp",
            "module",
            "monitor",
            "openflow",
            "resource",
            "rest",
            "state",
            "store"),
        folders);
    assertTrue(
        page.containsAll(Set.of("web/index.html", "web/lib/cytoscape.esm.min.mjs")), "" + page);
    assertEquals(Set.of("META-INF/LICENSE", "META-INF/NOTICE", SERVICES, PROPERTIES), others);
    assertTrue(modules.size() >= 100, modules.size() + " classes");
  }

  @Test
  void services_areTheModulesInTheJar() throws IOException {
    Set<String> implementing =
        modules.stream()
            .filter(type -> type.superName().equals(BaseModule.class.getName()))
            .map(ClassFile::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertFalse(implementing.isEmpty());
    assertEquals(implementing, Set.copyOf(Files.readAllLines(JAR.resolve(SERVICES), UTF_8)));
  }

  @Test
  void properties_loadOurModulesInThePlaceOfFloodlightsBalancer() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(JAR.resolve(PROPERTIES))) {
      properties.load(in);
    }
    List<String> loaded =
        Splitter.on(',').trimResults().splitToList(properties.getProperty("floodlight.modules"));
    List<String> wanted = new ArrayList<>(Files.readAllLines(JAR.resolve(SERVICES), UTF_8));
    assertTrue(wanted.remove(INSTEAD_OF_BALANCERS), "" + wanted);
    assertTrue(loaded.containsAll(wanted), "" + loaded);
    assertFalse(loaded.contains("net.floodlightcontroller.loadbalancer.LoadBalancer"));
    assertFalse(
        loaded.contains("net.floodlightcontroller.ui.web.StaticWebRoutable"), "at /ui, as ours");
    String switches = "net.floodlightcontroller.core.internal.OFSwitchManager.";
    assertEquals("NO", properties.get(switches + "clearTablesOnInitialHandshakeAsMaster"));
    assertEquals("NO", properties.get(switches + "clearTablesOnEachTransitionToMaster"));
  }

  /**
   * HAController, which Floodlight loads by default, is not among them: its port is open on all
   * addresses, and what it reads there makes it throw.
   */
  @Test
  void properties_loadTheseModulesOfFloodlightAndNoOthers() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(JAR.resolve(PROPERTIES))) {
      properties.load(in);
    }
    assertEquals(
        List.of(
            "jython.JythonDebugInterface",
            "storage.memory.MemoryStorageSource",
            "core.internal.FloodlightProvider",
            "threadpool.ThreadPool",
            "debugcounter.DebugCounterServiceImpl",
            "perfmon.PktInProcessingTime",
            "staticentry.StaticEntryPusher",
            "restserver.RestApiServer",
            "topology.TopologyManager",
            "routing.RoutingManager",
            "forwarding.Forwarding",
            "linkdiscovery.internal.LinkDiscoveryManager",
            "firewall.Firewall",
            "dhcpserver.DHCPServer",
            "simpleft.FT",
            "devicemanager.internal.DeviceManagerImpl",
            "accesscontrollist.ACL",
            "statistics.StatisticsCollector"),
        Splitter.on(',')
            .trimResults()
            .splitToStream(properties.getProperty("floodlight.modules"))
            .filter(name -> name.startsWith(FLOODLIGHT))
            .map(name -> name.substring(FLOODLIGHT.length()))
            .toList());
    assertEquals(
        List.of(),
        properties.stringPropertyNames().stream()
            .filter(name -> name.startsWith(FLOODLIGHT + "hasupport"))
            .toList());
  }

  @Test
  void floodlightsTypes_thatAreReferredTo_areInItsApi() {
    Set<String> types = typesReferredTo(name -> name.startsWith(FLOODLIGHT));
    assertTrue(types.size() >= 20, types.size() + " types");
    types.removeIf(FloodlightFacts::has);
    assertEquals(Set.of(), types);
  }

  @Test
  void floodlightsMembers_thatAreReferredTo_areInItsApi() {
    Set<Ref> refs = refs(name -> name.startsWith(FLOODLIGHT));
    assertTrue(refs.size() >= 30, refs.size() + " members");
    assertEquals(Set.of(), texts(refs.stream().filter(ref -> !isInFloodlight(ref, ref.owner()))));
  }

  @Test
  void librariesTypes_thatAreReferredTo_areInFloodlightsLibraries() {
    Set<String> types = typesReferredTo(FloodlightJarTest::isInLibrary);
    assertTrue(types.size() >= 80, types.size() + " types");
    types.removeIf(type -> find(type).isPresent());
    assertEquals(Set.of(), types);
  }

  @Test
  void librariesMembers_thatAreReferredTo_areInFloodlightsLibraries() {
    Set<Ref> refs = refs(FloodlightJarTest::isInLibrary);
    assertTrue(refs.size() >= 150, refs.size() + " members");
    assertEquals(Set.of(), texts(refs.stream().filter(ref -> !resolves(ref, ref.owner()))));
  }

  /** Else the checks of what links could pass because they find everything. */
  @ParameterizedTest
  @CsvSource({
    "org.restlet.Restlet, getContext, ()Lorg/restlet/Context;, true",
    "org.restlet.routing.Router, getContext, ()Lorg/restlet/Context;, true",
    "org.restlet.Restlet, getContext, ()V, false",
    "org.slf4j.Logger, info, (Ljava/lang/String;)V, true",
    "org.slf4j.Logger, atInfo, ()Lorg/slf4j/spi/LoggingEventBuilder;, false",
    "com.google.common.collect.ImmutableMap$Builder, buildOrThrow, "
        + "()Lcom/google/common/collect/ImmutableMap;, false",
    "io.malob.Nothing, at, ()V, false"
  })
  void member_ofFloodlightsLibraries_isFoundIfItIsThere(
      String owner, String name, String descriptor, boolean there) {
    assertEquals(there, resolves(new Ref(owner, name, descriptor), owner));
  }

  /** The same for Floodlight itself. */
  @ParameterizedTest
  @CsvSource({
    "core.IOFSwitch, getId, ()Lorg/projectfloodlight/openflow/types/DatapathId;, true",
    "core.IOFSwitch, getId, ()J, false",
    "core.IListener$Command, STOP, Lnet/floodlightcontroller/core/IListener$Command;, true",
    "core.IListener$Command, ordinal, ()I, true",
    "core.IOFSwitch, getClass, ()Ljava/lang/Class;, true",
    "core.IOFSwitch, finalize, ()V, false",
    "core.IOFSwitch, nothing, ()V, false"
  })
  void member_ofFloodlight_isFoundIfItIsThere(
      String owner, String name, String descriptor, boolean there) {
    Ref ref = new Ref(FLOODLIGHT + owner, name, descriptor);
    assertEquals(there, isInFloodlight(ref, ref.owner()));
  }

  private static boolean isInLibrary(String type) {
    return !type.startsWith("java.")
        && !type.startsWith("io.malob.")
        && !type.startsWith(FLOODLIGHT);
  }

  private static Set<String> typesReferredTo(Predicate<String> wanted) {
    return modules.stream()
        .flatMap(type -> type.types().stream())
        .filter(wanted)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Ref> refs(Predicate<String> ownersWanted) {
    return modules.stream()
        .flatMap(type -> type.refs().stream())
        .filter(ref -> ownersWanted.test(ref.owner()))
        .collect(Collectors.toSet());
  }

  private static Set<String> texts(Stream<Ref> refs) {
    return refs.map(Ref::toString).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether the type, or one that it inherits from, has the member in Floodlight. */
  private boolean isInFloodlight(Ref ref, String type) {
    if (!FloodlightFacts.has(type)) {
      return type.startsWith("java.") && resolves(ref, type);
    }
    Set<String> signatures = FloodlightFacts.signatures(type);
    String text = asInFacts(ref);
    return signatures.contains(text)
        || signatures.contains("static " + text)
        || isOfEveryEnum(ref, type)
        || isOfEveryObject(ref)
        || FloodlightFacts.parents(type).stream().anyMatch(parent -> isInFloodlight(ref, parent));
  }

  /** What the compiler adds is not among the facts. */
  private static boolean isOfEveryEnum(Ref ref, String type) {
    return FloodlightFacts.parents(type).contains("java.lang.Enum")
        && (ref.name().equals("values") || ref.name().equals("valueOf"));
  }

  /**
   * Public methods of Object are found in interfaces, too (JVMS 5.4.3.4). From JDK 18 on, the
   * compiler refers to them by the interface at which they are called, whatever the release that it
   * compiles for.
   */
  private static boolean isOfEveryObject(Ref ref) {
    return Stream.of(Object.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .anyMatch(
            method ->
                method.getName().equals(ref.name())
                    && MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .toMethodDescriptorString()
                        .equals(ref.descriptor()));
  }

  private static String asInFacts(Ref ref) {
    List<String> types = sourceNames(ref.descriptor());
    String last = types.get(types.size() - 1);
    String parameters = "(" + String.join(", ", types.subList(0, types.size() - 1)) + ")";
    if (ref.name().equals("<init>")) {
      return "<constructor>" + parameters;
    }
    return ref.name() + (ref.isMethod() ? parameters : "") + ": " + last;
  }

  /** The types of a descriptor, the return type last, as source has them. */
  private static List<String> sourceNames(String descriptor) {
    List<String> names = new ArrayList<>();
    String array = "";
    for (int i = 0; i < descriptor.length(); i++) {
      char c = descriptor.charAt(i);
      if (c == '[') {
        array += "[]";
      } else if (c != '(' && c != ')') {
        int end = c == 'L' ? descriptor.indexOf(';', i) : i;
        names.add(
            (c == 'L' ? descriptor.substring(i + 1, end).replace('/', '.') : primitive(c)) + array);
        array = "";
        i = end;
      }
    }
    return names;
  }

  private static String primitive(char c) {
    return Stream.of(
            void.class,
            boolean.class,
            byte.class,
            char.class,
            short.class,
            int.class,
            long.class,
            float.class,
            double.class)
        .filter(type -> type.descriptorString().charAt(0) == c)
        .findFirst()
        .orElseThrow()
        .getName();
  }

  /** Whether the linker finds the member in the type or in one that it inherits from. */
  private boolean resolves(Ref ref, String type) {
    return find(type)
        .map(
            file ->
                file.members().stream()
                        .anyMatch(
                            member ->
                                member.name().equals(ref.name())
                                    && member.descriptor().equals(ref.descriptor())
                                    && !Modifier.isPrivate(member.access()))
                    || (!ref.name().equals("<init>")
                        && parents(file).anyMatch(parent -> resolves(ref, parent))))
        .orElse(false);
  }

  private static Stream<String> parents(ClassFile file) {
    return Stream.concat(
        file.superName().isEmpty() ? Stream.of() : Stream.of(file.superName()),
        file.interfaces().stream());
  }

  private Optional<ClassFile> find(String type) {
    return known.computeIfAbsent(type, FloodlightJarTest::load);
  }

  private static Optional<ClassFile> load(String type) {
    try (InputStream in = libraries.getResourceAsStream(type.replace('.', '/') + ".class")) {
      return in == null ? Optional.empty() : Optional.of(ClassFile.read(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
