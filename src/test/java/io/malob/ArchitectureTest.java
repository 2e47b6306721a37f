package io.malob;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableCollection;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.malob.module.BaseModule;
import io.malob.store.Store;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import net.floodlightcontroller.core.module.IFloodlightModule;

/** The directions between packages, as docs/architecture/code-map.md draws them. */
@AnalyzeClasses(
    packages = {"io.malob", "net.floodlightcontroller"},
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ALGORITHM = "io.malob.algorithm..";
  private static final String FILE = "io.malob.file..";
  private static final String STORE = "io.malob.store..";
  private static final String STATE = "io.malob.state..";
  private static final String OPENFLOW = "io.malob.openflow..";
  private static final String BALANCER = "io.malob.balancer..";

  /** What other modules may see of the balancer: its service and what that gives out. */
  private static final String BALANCER_API = "io.malob.balancer.api..";

  private static final String MONITOR = "io.malob.monitor..";
  private static final String CAPABILITY = "io.malob.capability..";
  private static final String LATENCY = "io.malob.latency..";
  private static final String AGENT = "io.malob.agent..";
  private static final String METRICS = "io.malob.metrics..";
  private static final String MPTCP = "io.malob.mptcp..";
  private static final String ENDHOST = "io.malob.endhost..";
  private static final String JSON = "io.malob.json..";
  private static final String RESOURCE = "io.malob.resource..";
  private static final String MODULE = "io.malob.module..";
  private static final String REST = "io.malob.rest..";
  private static final String CLUSTER = "io.malob.cluster..";
  private static final String CONTROLLER = "io.malob.controller..";
  private static final String FLOODLIGHT = "net.floodlightcontroller..";

  /** What other modules may see of the monitor. */
  private static final Set<String> MONITOR_SERVICE =
      Set.of("io.malob.monitor.IMonitorService", "io.malob.monitor.PollingStats");

  /** What other modules may see of switches' capabilities. */
  private static final Set<String> CAPABILITY_SERVICE =
      Set.of(
          "io.malob.capability.FeatureProbes",
          "io.malob.capability.FeatureProbes$Answer",
          "io.malob.capability.ISwitchCapabilityService",
          "io.malob.capability.SwitchCapability",
          "io.malob.capability.SwitchCapability$Source",
          "io.malob.capability.SwitchFeature",
          "io.malob.capability.TableUse");

  /** What other modules may see of the agents. */
  private static final Set<String> AGENT_SERVICE =
      Set.of("io.malob.agent.IAgentService", "io.malob.agent.IAgentService$KnownAgent");

  /** What other modules may see of the measuring of latencies. */
  private static final Set<String> LATENCY_SERVICE =
      Set.of(
          "io.malob.latency.ControlMethod",
          "io.malob.latency.ControlRoundTrip",
          "io.malob.latency.ILatencyService",
          "io.malob.latency.LatencyCounters",
          "io.malob.latency.LatencyCounters$ProbeCount");

  /** What other modules may see of the routes of sub-flows. */
  private static final Set<String> MPTCP_SERVICE = Set.of("io.malob.mptcp.IMptcpService");

  /** What other modules may see of a host's flows. */
  private static final Set<String> ENDHOST_SERVICE = Set.of("io.malob.endhost.IEndhostService");

  /** Each package and how many classes it has at least. */
  private static final Map<String, Integer> SCANNED =
      Map.ofEntries(
          Map.entry("io.malob.algorithm..", 20),
          Map.entry("io.malob.file..", 2),
          Map.entry("io.malob.store..", 8),
          Map.entry("io.malob.state..", 30),
          Map.entry("io.malob.openflow..", 20),
          Map.entry("io.malob.balancer..", 30),
          Map.entry("io.malob.capability..", 10),
          Map.entry("io.malob.latency..", 15),
          Map.entry("io.malob.monitor..", 6),
          Map.entry("io.malob.agent..", 8),
          Map.entry("io.malob.mptcp..", 20),
          Map.entry("io.malob.endhost..", 20),
          Map.entry("io.malob.rest..", 12),
          Map.entry("io.malob.json..", 6),
          Map.entry("io.malob.resource..", 8),
          Map.entry("io.malob.metrics..", 8),
          Map.entry("io.malob.cluster..", 10),
          Map.entry("io.malob.controller..", 60),
          Map.entry("net.floodlightcontroller..", 25));

  /**
   * What knows that addresses are IPv4: reads them from texts or from Floodlight's hosts, or
   * chooses by their family.
   */
  private static final Set<String> FAMILY_READERS =
      Set.of(
          "io.malob.algorithm.AddressKey",
          "io.malob.module.AttachedHosts",
          "io.malob.mptcp.HostRange",
          "io.malob.openflow.FoundRules",
          "io.malob.openflow.IpFamily");

  /** An import that finds nothing would keep every rule. */
  @ArchTest
  static void scan_findsTheClassesOfEachPackage(JavaClasses all) {
    SCANNED.forEach(
        (packages, atLeast) -> {
          long found = all.stream().filter(resideInAPackage(packages)).count();
          assertTrue(found >= atLeast, found + " classes in " + packages);
        });
  }

  @ArchTest
  static final ArchRule algorithm_isPure =
      classes()
          .that()
          .resideInAPackage(ALGORITHM)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              ALGORITHM,
              "java.lang..",
              "java.util..",
              "com.google.common..",
              "org.projectfloodlight.openflow.types..",
              "org.jspecify.annotations..");

  /**
   * Without packages where the family matters: frames are read and built by family, and an end host
   * and its uplinks have an address of each.
   */
  @ArchTest
  static final ArchRule thePapersPlanner_isChosenByMptcpAlone =
      classes()
          .that()
          .resideInAPackage("io.malob.algorithm.subflow.paper")
          .should()
          .onlyHaveDependentClassesThat()
          .resideInAnyPackage("io.malob.algorithm.subflow.paper", MPTCP);

  @ArchTest
  static final ArchRule addresses_areOfEitherFamily =
      noClasses()
          .that()
          .resideInAnyPackage(
              ALGORITHM,
              STATE,
              "io.malob.openflow",
              "io.malob.openflow.subflow",
              BALANCER,
              MONITOR,
              LATENCY,
              AGENT,
              METRICS,
              MODULE,
              MPTCP,
              REST)
          .and(notOneOf(FAMILY_READERS))
          .should()
          .dependOnClassesThat()
          .haveSimpleNameStartingWith("IPv4Address");

  @ArchTest
  static final ArchRule json_seesNothingOfOurs =
      noClasses().that().resideInAPackage(JSON).should().dependOnClassesThat(oursExcept(JSON));

  /** Floodlight's Jackson sees less of a class than ours: only {@code Json} may make one. */
  @ArchTest
  static final ArchRule objectMappers_areMadeByJsonOnly =
      noClasses()
          .that()
          .resideOutsideOfPackage(JSON)
          .should()
          .dependOnClassesThat()
          .areAssignableTo(ObjectMapper.class);

  @ArchTest
  static final ArchRule resource_seesJsonAndFloodlightsApiOnly =
      noClasses()
          .that()
          .resideInAPackage(RESOURCE)
          .should()
          .dependOnClassesThat(oursExcept(RESOURCE, JSON, FLOODLIGHT));

  @ArchTest
  static final ArchRule file_seesJsonOnly =
      noClasses()
          .that()
          .resideInAPackage(FILE)
          .should()
          .dependOnClassesThat(oursExcept(FILE, JSON));

  @ArchTest
  static final ArchRule store_seesFilesAndJsonOnly =
      noClasses()
          .that()
          .resideInAPackage(STORE)
          .should()
          .dependOnClassesThat(oursExcept(STORE, FILE, JSON));

  /** Others know stores by their interface; which one it is, is chosen by the store's module. */
  @ArchTest
  static final ArchRule stores_areMadeByTheirModuleOnly =
      noClasses()
          .that()
          .resideOutsideOfPackages(STORE, CLUSTER)
          .and()
          .doNotHaveFullyQualifiedName("io.malob.module.StoreModule")
          .should()
          .dependOnClassesThat(
              assignableTo(Store.class)
                  .and(
                      DescribedPredicate.describe(
                          "are stores themselves", type -> !type.isInterface())));

  @ArchTest
  static final ArchRule state_seesAlgorithmStoresFilesAndJsonOnly =
      noClasses()
          .that()
          .resideInAPackage(STATE)
          .should()
          .dependOnClassesThat(oursExcept(STATE, STORE, FILE, ALGORITHM, JSON));

  @ArchTest
  static final ArchRule openflow_seesAlgorithmOnly =
      noClasses()
          .that()
          .resideInAPackage(OPENFLOW)
          .should()
          .dependOnClassesThat(oursExcept(OPENFLOW, ALGORITHM));

  @ArchTest
  static final ArchRule balancer_seesNeitherControllerNorRest =
      noClasses()
          .that()
          .resideInAPackage(BALANCER)
          .should()
          .dependOnClassesThat(
              oursExcept(BALANCER, MODULE, ALGORITHM, STATE, STORE, OPENFLOW, FLOODLIGHT, JSON)
                  .and(notOneOf(MONITOR_SERVICE))
                  .and(notOneOf(CAPABILITY_SERVICE)));

  /** Each of the balancer's packages may use those below it, as its package-info.java says. */
  @ArchTest
  static final ArchRule balancer_isLayered =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(BALANCER)
          .layer("api")
          .definedBy(BALANCER_API)
          .layer("view")
          .definedBy("io.malob.balancer.view..")
          .layer("bucket")
          .definedBy("io.malob.balancer.bucket..")
          .layer("connection")
          .definedBy("io.malob.balancer.connection..")
          .layer("health")
          .definedBy("io.malob.balancer.health..")
          .layer("admission")
          .definedBy("io.malob.balancer.admission..")
          .layer("recovery")
          .definedBy("io.malob.balancer.recovery..")
          .layer("replica")
          .definedBy("io.malob.balancer.replica..")
          .layer("reroute")
          .definedBy("io.malob.balancer.reroute..")
          .layer("proactive")
          .definedBy("io.malob.balancer.proactive..")
          .layer("root")
          .definedBy("io.malob.balancer")
          .whereLayer("api")
          .mayNotAccessAnyLayer()
          .whereLayer("view")
          .mayOnlyAccessLayers("api")
          .whereLayer("bucket")
          .mayOnlyAccessLayers("api", "view")
          .whereLayer("connection")
          .mayOnlyAccessLayers("api", "view", "bucket")
          .whereLayer("health")
          .mayOnlyAccessLayers("api", "view", "bucket", "connection")
          .whereLayer("admission")
          .mayOnlyAccessLayers("api", "view", "bucket", "connection", "health")
          .whereLayer("recovery")
          .mayOnlyAccessLayers("api", "view", "connection", "health", "admission")
          .whereLayer("replica")
          .mayOnlyAccessLayers("api", "view", "connection", "admission", "recovery")
          .whereLayer("reroute")
          .mayOnlyAccessLayers("api", "view", "connection")
          .whereLayer("proactive")
          .mayOnlyAccessLayers(
              "api", "view", "bucket", "connection", "health", "admission", "recovery", "reroute");

  /** A class in no layer would keep every rule. */
  @ArchTest
  static final ArchRule balancer_hasNoOtherPackages =
      classes()
          .that()
          .resideInAPackage(BALANCER)
          .should()
          .resideInAnyPackage(
              "io.malob.balancer",
              BALANCER_API,
              "io.malob.balancer.view..",
              "io.malob.balancer.bucket..",
              "io.malob.balancer.connection..",
              "io.malob.balancer.health..",
              "io.malob.balancer.admission..",
              "io.malob.balancer.recovery..",
              "io.malob.balancer.replica..",
              "io.malob.balancer.reroute..",
              "io.malob.balancer.proactive..");

  @ArchTest
  static final ArchRule monitor_seesNoOtherFeature =
      noClasses()
          .that()
          .resideInAPackage(MONITOR)
          .should()
          .dependOnClassesThat(
              oursExcept(MONITOR, MODULE, ALGORITHM, STATE, STORE, OPENFLOW, FLOODLIGHT));

  @ArchTest
  static final ArchRule capability_seesNoOtherFeature =
      noClasses()
          .that()
          .resideInAPackage(CAPABILITY)
          .should()
          .dependOnClassesThat(oursExcept(CAPABILITY, MODULE, OPENFLOW, FLOODLIGHT));

  @ArchTest
  static final ArchRule otherFeatures_seeTheMonitorsService =
      noClasses()
          .that()
          .resideInAnyPackage(LATENCY, AGENT, MPTCP)
          .should()
          .dependOnClassesThat(
              oursExcept(
                      LATENCY,
                      AGENT,
                      MPTCP,
                      MODULE,
                      ALGORITHM,
                      FILE,
                      STATE,
                      STORE,
                      OPENFLOW,
                      FLOODLIGHT,
                      JSON)
                  .and(notOneOf(MONITOR_SERVICE))
                  .and(notOneOf(CAPABILITY_SERVICE)))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule endhost_seesNoOtherFeature =
      noClasses()
          .that()
          .resideInAPackage(ENDHOST)
          .should()
          .dependOnClassesThat(
              oursExcept(ENDHOST, MODULE, ALGORITHM, STATE, OPENFLOW, FLOODLIGHT, JSON)
                  .and(notOneOf(CAPABILITY_SERVICE)));

  @ArchTest
  static final ArchRule module_seesFloodlightsApiOpenflowAndStores =
      noClasses()
          .that()
          .resideInAPackage(MODULE)
          .should()
          .dependOnClassesThat(oursExcept(MODULE, OPENFLOW, ALGORITHM, STORE, FLOODLIGHT));

  /** It checks the names of settings, and FloodlightJarTest finds modules by it. */
  @ArchTest
  static final ArchRule modules_extendTheBaseModule =
      classes()
          .that()
          .resideInAPackage("io.malob..")
          .and()
          .implement(IFloodlightModule.class)
          .should()
          .beAssignableTo(BaseModule.class);

  @ArchTest
  static final ArchRule rest_seesStateAndServicesOnly =
      noClasses()
          .that()
          .resideInAPackage(REST)
          .should()
          .dependOnClassesThat(
              oursExcept(REST, RESOURCE, BALANCER_API, ALGORITHM, STATE, MODULE, FLOODLIGHT, JSON)
                  .and(notOneOf(LATENCY_SERVICE))
                  .and(notOneOf(MPTCP_SERVICE))
                  .and(notOneOf(ENDHOST_SERVICE))
                  .and(notOneOf(MONITOR_SERVICE))
                  .and(notOneOf(CAPABILITY_SERVICE))
                  .and(notOneOf(AGENT_SERVICE)));

  @ArchTest
  static final ArchRule metrics_seeStateAndServicesOnly =
      noClasses()
          .that()
          .resideInAPackage(METRICS)
          .should()
          .dependOnClassesThat(
              oursExcept(METRICS, RESOURCE, BALANCER_API, MODULE, ALGORITHM, STATE, FLOODLIGHT)
                  .and(notOneOf(LATENCY_SERVICE))
                  .and(notOneOf(CAPABILITY_SERVICE))
                  .and(notOneOf(MONITOR_SERVICE))
                  .and(notOneOf(AGENT_SERVICE)));

  @ArchTest
  static final ArchRule cluster_seesStoresModulesAndMessagesOnly =
      noClasses()
          .that()
          .resideInAPackage(CLUSTER)
          .should()
          .dependOnClassesThat(
              oursExcept(CLUSTER, MODULE, OPENFLOW, STORE, FILE, JSON, FLOODLIGHT));

  @ArchTest
  static final ArchRule controller_seesNoFeature =
      noClasses()
          .that()
          .resideInAPackage(CONTROLLER)
          .should()
          .dependOnClassesThat(
              oursExcept(
                  CONTROLLER,
                  RESOURCE,
                  STORE,
                  FILE,
                  JSON,
                  MODULE,
                  ALGORITHM,
                  OPENFLOW,
                  FLOODLIGHT));

  @ArchTest
  static final ArchRule floodlightApi_seesNothingOfOurs =
      noClasses()
          .that()
          .resideInAPackage(FLOODLIGHT)
          .should()
          .dependOnClassesThat(oursExcept(FLOODLIGHT));

  @ArchTest
  static final ArchRule packages_haveNoCycles =
      slices().matching("io.malob.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule balancer_hasNoCycles =
      slices().matching("io.malob.balancer.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule statics_doNotChange =
      fields()
          .that()
          .areDeclaredInClassesThat()
          .resideInAPackage("io.malob..")
          .and()
          .areStatic()
          .and(
              DescribedPredicate.describe(
                  "are not made by the compiler",
                  (JavaField field) -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
          .should()
          .beFinal();

  @ArchTest
  static final ArchRule statics_holdNothingThatChanges =
      noFields()
          .that()
          .areDeclaredInClassesThat()
          .resideInAPackage("io.malob..")
          .and()
          .areStatic()
          .should()
          .haveRawType(
              resideInAPackage("java.util.concurrent.atomic..")
                  .or(assignableTo(ConcurrentMap.class))
                  .or(
                      assignableTo(AbstractCollection.class)
                          .and(DescribedPredicate.not(assignableTo(ImmutableCollection.class))))
                  .or(assignableTo(AbstractMap.class)));

  private static DescribedPredicate<JavaClass> notOneOf(Set<String> names) {
    return DescribedPredicate.describe(
        "are not of " + names, (JavaClass type) -> !names.contains(type.getName()));
  }

  private static DescribedPredicate<JavaClass> oursExcept(String... allowed) {
    return resideInAnyPackage("io.malob..", FLOODLIGHT)
        .and(DescribedPredicate.not(resideInAnyPackage(allowed)));
  }
}
