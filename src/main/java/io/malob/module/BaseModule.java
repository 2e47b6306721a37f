package io.malob.module;

import com.google.common.collect.ImmutableMap;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * A module of Floodlight that provides the services that it implements itself, and whose settings
 * are checked before it starts. Real Floodlight and the embedded controller call its methods one
 * after the other, on the thread that loads modules.
 */
public abstract class BaseModule implements IFloodlightModule {
  /** The directory of what the module stores. */
  public static final Setting<String> DATA =
      Setting.text("data", "")
          .describedAs(
              "The data directory; empty: nothing is stored. The option --data of the controller"
                  + " sets it"
                  + " for all modules.");

  /** For the module loader. */
  protected BaseModule() {}

  /** The module's settings. It reads no others, and does not start with others. */
  public List<Setting<?>> settings() {
    return List.of();
  }

  /** All service interfaces that the module's class names. */
  @Override
  public Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls() {
    ImmutableMap.Builder<Class<? extends IFloodlightService>, IFloodlightService> services =
        ImmutableMap.builder();
    for (Class<?> type : getClass().getInterfaces()) {
      if (IFloodlightService.class.isAssignableFrom(type)) {
        services.put(type.asSubclass(IFloodlightService.class), (IFloodlightService) this);
      }
    }
    return services.build();
  }

  @Override
  public final Collection<Class<? extends IFloodlightService>> getModuleServices() {
    return getServiceImpls().keySet();
  }

  @Override
  public final void init(FloodlightModuleContext context) throws FloodlightModuleException {
    init(context, SettingReader.of(this, context));
  }

  /**
   * Prepares the module. The modules that it depends on are prepared already, and not started.
   *
   * @param settings the module's settings; all their names are known
   * @throws FloodlightModuleException if the module cannot start
   */
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {}
}
