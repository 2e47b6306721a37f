package io.malob.controller.module;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.module.BaseModule;
import io.malob.module.WrongSettingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.floodlightcontroller.core.module.IFloodlightModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

/** Settings as files and documentation name them, and as modules declare them. */
class SettingNamesTest {
  /** Not the first part of a name that a script puts together. */
  private static final Pattern SETTING =
      Pattern.compile("io\\.malob\\.[a-z.]+\\.\\w+Module\\.\\w++(?!\\{)");

  private static final List<IFloodlightModule> MODULES = RunningModules.onClassPath();

  private final SettingNames names = new SettingNames(MODULES);

  private static Set<String> named(Path file) throws IOException {
    return SETTING
        .matcher(Files.readString(file, StandardCharsets.UTF_8))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyModule_declaresItsSettings() {
    assertTrue(MODULES.size() >= 17);
    for (IFloodlightModule module : MODULES) {
      assertTrue(module instanceof BaseModule, module.getClass().getName());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src/main/resources/floodlightdefault.properties",
        "src/main/floodlight/malob-floodlight.properties",
        "scripts/malob/endhost/endhost.properties",
        "geni/setup/controller.sh"
      })
  void settingsThatAreShipped_areKnown(String file) throws Exception {
    Set<String> shipped = named(Path.of(file));
    assertTrue(shipped.size() >= 2, file);
    names.check(shipped);
  }

  /** Scripts, too: experiments start controllers with settings of their own. */
  @ParameterizedTest
  @ValueSource(strings = {"docs", "scripts", "bench"})
  void settingsThatAreDocumentedOrUsed_areKnown(String folder) throws Exception {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of(folder))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.toString().endsWith(".md") || file.toString().endsWith(".py")) {
          found.addAll(named(file));
        }
      }
    }
    assertTrue(!found.isEmpty());
    names.check(found);
  }

  @ParameterizedTest
  @CsvSource({
    "io.malob.balancer.BalancerModule.idleTimeoutTPC,"
        + " io.malob.balancer.BalancerModule.idleTimeoutTcp",
    "io.malob.balancer.BalanceModule.adoptSeconds, io.malob.balancer.BalancerModule.adoptSeconds",
    "io.malob.mptcp.MptcpModule.answerseconds, io.malob.mptcp.MptcpModule.answerSeconds",
    "*.dta, *.data",
    "floodlight.module, floodlight.modules"
  })
  void misspelledSetting_isNamedWithTheNearest(String wrong, String right) {
    WrongSettingException e =
        assertThrows(WrongSettingException.class, () -> names.check(Set.of(wrong)));
    assertEquals("There is no setting " + wrong + "; did you mean " + right + "?", e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "io.malob.controller.network.devices.DeviceModule., mostDevices, maxDevices",
    "io.malob.latency.LatencyModule., mostLatencyMillis, maxLatencyMillis",
    "io.malob.balancer.BalancerModule., ejectMostSeconds, ejectMaxSeconds"
  })
  void deprecatedName_isKnown_butNeverSuggested(String module, String old, String current) {
    assertDoesNotThrow(() -> names.check(Set.of(module + old)));
    WrongSettingException e =
        assertThrows(WrongSettingException.class, () -> names.check(Set.of(module + old + "s")));
    assertEquals(
        "There is no setting " + module + old + "s; did you mean " + module + current + "?",
        e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.malob.mptcp.MptcpModule.idleTimeoutTcp",
        "net.floodlightcontroller.forwarding.Forwarding.idle-timeout",
        "data",
        ".",
        "io.malob.metrics.MetricsModule.everything"
      })
  void settingOfNoModule_isRefused(String wrong) {
    assertThrows(WrongSettingException.class, () -> names.check(Set.of(wrong)));
  }

  /** It may be somebody else's. */
  @Test
  void moduleThatDeclaresNothing_mayHaveAnySetting() {
    IFloodlightModule foreign = Mockito.mock(IFloodlightModule.class);
    SettingNames withForeign = new SettingNames(List.of(foreign));
    String name = foreign.getClass().getName() + ".anything";
    assertDoesNotThrow(() -> withForeign.check(Set.of(name)));
    assertTrue(withForeign.takes(foreign, "data"));
  }
}
