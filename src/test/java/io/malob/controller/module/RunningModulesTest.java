package io.malob.controller.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.junit.jupiter.api.Test;

class RunningModulesTest {
  private static final String HERE = RunningModulesTest.class.getName() + "$";

  private final List<String> log = new ArrayList<>();

  interface LinkService extends IFloodlightService {}

  interface PathService extends IFloodlightService {}

  /** A module that writes down what happens to it. */
  abstract static class Recorded implements IFloodlightModule, AutoCloseable {
    private final List<String> log;
    private final Class<? extends IFloodlightService> offer;
    private final List<Class<? extends IFloodlightService>> needs;

    Recorded(
        List<String> log,
        Class<? extends IFloodlightService> offer,
        List<Class<? extends IFloodlightService>> needs) {
      this.log = log;
      this.offer = offer;
      this.needs = needs;
    }

    @Override
    public Collection<Class<? extends IFloodlightService>> getModuleServices() {
      return offer == null ? null : List.of(offer);
    }

    @Override
    public Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls() {
      return offer == null ? null : Map.of(offer, (IFloodlightService) this);
    }

    @Override
    public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
      return needs.isEmpty() ? null : needs;
    }

    @Override
    public void init(FloodlightModuleContext context) throws FloodlightModuleException {
      log.add("init " + getClass().getSimpleName());
    }

    @Override
    public void startUp(FloodlightModuleContext context) throws FloodlightModuleException {
      log.add("startUp " + getClass().getSimpleName());
    }

    @Override
    public void close() {
      log.add("close " + getClass().getSimpleName());
    }
  }

  static final class Links extends Recorded implements LinkService {
    Links(List<String> log) {
      super(log, LinkService.class, List.of());
    }
  }

  static final class OtherLinks extends Recorded implements LinkService {
    OtherLinks(List<String> log) {
      super(log, LinkService.class, List.of());
    }
  }

  static final class LinksThatNeedPaths extends Recorded implements LinkService {
    LinksThatNeedPaths(List<String> log) {
      super(log, LinkService.class, List.of(PathService.class));
    }
  }

  static final class Paths extends Recorded implements PathService {
    Paths(List<String> log) {
      super(log, PathService.class, List.of(LinkService.class));
    }
  }

  static final class Balancer extends Recorded {
    Balancer(List<String> log) {
      super(log, null, List.of(PathService.class));
    }
  }

  static final class Failing extends Recorded {
    Failing(List<String> log) {
      super(log, null, List.of(LinkService.class));
    }

    @Override
    public void startUp(FloodlightModuleContext context) throws FloodlightModuleException {
      throw new FloodlightModuleException("no luck");
    }
  }

  @Test
  void start_dependenciesNotListed_areLoadedFirstAndStoppedLast() throws Exception {
    RunningModules modules = start("Balancer", new Balancer(log), new Links(log), new Paths(log));
    assertEquals(
        List.of(
            "init Links",
            "init Paths",
            "init Balancer",
            "startUp Links",
            "startUp Paths",
            "startUp Balancer"),
        log);
    log.clear();
    modules.close();
    assertEquals(List.of("close Balancer", "close Paths", "close Links"), log);
  }

  @Test
  void start_moduleNotNeeded_isLeftOut() throws Exception {
    start("Links", new Links(log), new Paths(log)).close();
    assertEquals(List.of("init Links", "startUp Links", "close Links"), log);
  }

  @Test
  void start_oneFails_thoseBeforeItAreStopped() {
    assertFails("no luck", "Failing", new Failing(log), new Links(log));
    assertEquals(
        List.of("init Links", "init Failing", "startUp Links", "close Failing", "close Links"),
        log);
  }

  @Test
  void start_unknownClass_isNamed() {
    assertFails(
        "There is no module "
            + HERE
            + "Nothing on the class path"
            + " (META-INF/services/net.floodlightcontroller.core.module.IFloodlightModule)",
        "Nothing",
        new Links(log));
  }

  @Test
  void start_dependencyMissing_isNamedWithItsUser() {
    assertFails(
        HERE + "Paths needs " + HERE + "LinkService, which no module offers",
        "Paths",
        new Paths(log));
  }

  @Test
  void start_dependencyCyclic_isNamed() {
    assertFails(
        String.format(
            "Modules depend on each other: %1$sPaths needs %1$sLinksThatNeedPaths needs %1$sPaths",
            HERE),
        "Balancer",
        new Balancer(log),
        new Paths(log),
        new LinksThatNeedPaths(log));
  }

  @Test
  void start_twoListedOfferOneService_areNamed() {
    assertFails(
        String.format("Both %1$sLinks and %1$sOtherLinks offer %1$sLinkService", HERE),
        "Links,OtherLinks",
        new Links(log),
        new OtherLinks(log));
  }

  @Test
  void start_twoUnlistedOfferOneService_areNamed() {
    assertFails(
        String.format(
            "%1$sPaths needs %1$sLinkService, which %1$sLinks and %1$sOtherLinks all offer"
                + " (list one of them)",
            HERE),
        "Paths",
        new Paths(log),
        new Links(log),
        new OtherLinks(log));
  }

  @Test
  void start_oneOfTwoThatOfferAServiceIsListed_thatOneIsUsed() throws Exception {
    start("Paths,OtherLinks", new Paths(log), new Links(log), new OtherLinks(log)).close();
    assertEquals(List.of("init OtherLinks", "init Paths"), log.subList(0, 2));
  }

  private RunningModules start(String listed, IFloodlightModule... available) throws Exception {
    String names =
        Stream.of(listed.split(",", -1)).map(HERE::concat).collect(Collectors.joining(","));
    return RunningModules.start(
        List.of(available), ModuleSettings.parse("floodlight.modules=" + names));
  }

  private void assertFails(String message, String listed, IFloodlightModule... available) {
    FloodlightModuleException failure =
        assertThrows(FloodlightModuleException.class, () -> start(listed, available).close());
    assertEquals(message, failure.getMessage());
  }
}
