package io.malob.controller;

import io.malob.controller.core.CoreModule;
import io.malob.controller.module.ModuleSettings;
import io.malob.controller.module.RunningModules;
import io.malob.controller.rest.RestModule;
import io.malob.module.Setting;
import io.malob.module.StoreModule;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.restserver.IRestApiService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller with all its modules: it lets switches in when every module is up, and serves HTTP
 * after that. Started and closed by one thread.
 */
public final class EmbeddedController implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(EmbeddedController.class);

  /** By name: the controller does not depend on it, and does not load it without a cluster. */
  static final String CLUSTER_MODULE = "io.malob.cluster.ClusterModule";

  private static final String RELAY_MODULE = "io.malob.cluster.relay.RelayModule";

  private final CoreModule core;
  private final RestModule rest;
  private final RunningModules modules;

  private EmbeddedController(RunningModules modules) {
    core = modules.get(CoreModule.class);
    rest = modules.get(RestModule.class);
    this.modules = modules;
  }

  /**
   * Starts a controller with those modules of the class path that the settings list.
   *
   * @throws FloodlightModuleException naming the module that cannot be loaded, and why
   * @throws java.io.UncheckedIOException if a port cannot be bound; the message says which and why
   */
  public static EmbeddedController start(ModuleSettings settings) throws FloodlightModuleException {
    ModuleSettings all =
        isInCluster(settings)
            ? withRestAddress(settings).including(CLUSTER_MODULE, RELAY_MODULE)
            : settings.including(StoreModule.class.getName());
    return start(all, RunningModules.onClassPath());
  }

  /** The cluster's other controllers learn where this one answers REST requests. */
  private static ModuleSettings withRestAddress(ModuleSettings settings) {
    if (!settings.of(CLUSTER_MODULE).getOrDefault("restAddress", "").isEmpty()) {
      return settings;
    }
    Map<String, String> rest = settings.of(RestModule.class.getName());
    return settings.overlaidWith(
        Map.of(
            CLUSTER_MODULE + ".restAddress",
            valueOf(RestModule.HOST, rest) + ":" + valueOf(RestModule.HTTP_PORT, rest)));
  }

  private static String valueOf(Setting<?> setting, Map<String, String> values) {
    return values.getOrDefault(setting.name(), setting.defaultText());
  }

  /** Whether these settings are those of a controller in a cluster. */
  static boolean isInCluster(ModuleSettings settings) {
    return !settings.of(CLUSTER_MODULE).getOrDefault("endpoints", "").isEmpty();
  }

  /** The same as {@link #start(ModuleSettings)} with these modules instead of the class path's. */
  public static EmbeddedController start(
      ModuleSettings settings, Collection<IFloodlightModule> available)
      throws FloodlightModuleException {
    RunningModules modules =
        RunningModules.start(
            available, settings.including(CoreModule.class.getName(), RestModule.class.getName()));
    try {
      FloodlightModuleContext context = modules.context();
      context.getServiceImpl(IFloodlightProviderService.class).run();
      context.getServiceImpl(IRestApiService.class).run();
    } catch (RuntimeException e) {
      modules.close();
      throw e;
    }
    EmbeddedController started = new EmbeddedController(modules);
    logger.info(
        "controller_ready page=\"{}\" openflow_port={} - switches can connect",
        started.rest.pageUrl(),
        started.openFlowPort());
    return started;
  }

  /** The services and settings of its modules. */
  public FloodlightModuleContext context() {
    return modules.context();
  }

  /** The port for switches. */
  public int openFlowPort() {
    return core.openFlowPort();
  }

  /** The port of the REST interface. */
  public int httpPort() {
    return rest.httpPort();
  }

  /** Completed with the exit status as soon as a module asks to stop. */
  public CompletableFuture<Integer> shutdownRequested() {
    return core.shutdownRequested();
  }

  /** Notifies the shutdown listeners, then stops all modules, the last first. */
  @Override
  public void close() {
    core.notifyShutdownListeners();
    modules.close();
  }
}
