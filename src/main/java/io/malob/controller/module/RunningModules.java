package io.malob.controller.module;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The modules of one controller, started. Closing it stops them in reverse order: a module that is
 * {@link AutoCloseable} is closed. Used by one thread at a time.
 */
public final class RunningModules implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(RunningModules.class);

  private final FloodlightModuleContext context = new FloodlightModuleContext();
  private final Deque<IFloodlightModule> toStop = new ArrayDeque<>();

  private RunningModules() {}

  /** One of each module that the class path offers through {@link ServiceLoader}. */
  public static List<IFloodlightModule> onClassPath() {
    return ServiceLoader.load(IFloodlightModule.class).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /**
   * Prepares and starts the modules that the settings list, and those that these need. If one
   * fails, those before it are stopped again.
   *
   * @throws FloodlightModuleException naming the module that cannot be loaded, and why, or an
   *     unknown setting
   */
  public static RunningModules start(
      Collection<IFloodlightModule> available, ModuleSettings settings)
      throws FloodlightModuleException {
    SettingNames names = new SettingNames(available);
    names.check(settings.names());
    List<IFloodlightModule> modules = ModuleOrder.of(available, settings.modules());
    RunningModules running = new RunningModules();
    running.context.addService(
        LoadedModules.class, new LoadedModules(List.copyOf(available), modules));
    try {
      running.startAll(modules, settings, names);
      return running;
    } catch (FloodlightModuleException | RuntimeException e) {
      running.close();
      throw e;
    }
  }

  private void startAll(
      List<IFloodlightModule> modules, ModuleSettings settings, SettingNames names)
      throws FloodlightModuleException {
    for (IFloodlightModule module : modules) {
      settings
          .of(module.getClass().getName())
          .forEach(
              (key, value) -> {
                if (names.takes(module, key)) {
                  context.addConfigParam(module, key, value);
                }
              });
      addServices(module);
    }
    for (IFloodlightModule module : modules) {
      toStop.push(module);
      module.init(context);
    }
    for (IFloodlightModule module : modules) {
      module.startUp(context);
    }
  }

  private void addServices(IFloodlightModule module) throws FloodlightModuleException {
    Map<Class<? extends IFloodlightService>, IFloodlightService> objects = module.getServiceImpls();
    Set<Class<? extends IFloodlightService>> missing = new HashSet<>();
    if (module.getModuleServices() != null) {
      missing.addAll(module.getModuleServices());
    }
    if (objects != null) {
      missing.removeAll(objects.keySet());
      objects.forEach(context::addService);
    }
    if (!missing.isEmpty()) {
      throw new FloodlightModuleException(
          module.getClass().getName() + " declares services that it does not provide: " + missing);
    }
  }

  /** The services and settings of these modules. */
  public FloodlightModuleContext context() {
    return context;
  }

  /**
   * The running module of this class.
   *
   * @throws IllegalArgumentException if it is not running
   */
  public <T extends IFloodlightModule> T get(Class<T> moduleClass) {
    return toStop.stream()
        .filter(moduleClass::isInstance)
        .map(moduleClass::cast)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(moduleClass.getName() + " is not running"));
  }

  /** Stops all modules. A failure is logged and does not affect the other modules. */
  @Override
  public void close() {
    while (!toStop.isEmpty()) {
      IFloodlightModule module = toStop.pop();
      if (module instanceof AutoCloseable closeable) {
        try {
          closeable.close();
        } catch (Exception e) {
          if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
          }
          logger.warn("module_not_stopped module={}", module.getClass().getName(), e);
        }
      }
    }
  }
}
