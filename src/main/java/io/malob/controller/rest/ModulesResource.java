package io.malob.controller.rest;

import io.malob.controller.module.LoadedModules;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;
import org.restlet.data.Status;
import org.restlet.representation.Representation;
import org.restlet.resource.Get;
import org.restlet.resource.ResourceException;
import org.restlet.resource.ServerResource;

/**
 * The modules under their class names, with Floodlight's field names: services that each provides
 * and needs, and the modules that those come from.
 */
public final class ModulesResource extends ServerResource {

  /** All modules of the class path, or those that are loaded. */
  @Get
  public Representation modules() {
    LoadedModules modules = modulesOfContext();
    Map<String, Object> shown = new TreeMap<>();
    boolean onlyLoaded =
        switch (String.valueOf(getRequestAttributes().get("which"))) {
          case "all" -> false;
          case "loaded" -> true;
          default -> throw new ResourceException(Status.CLIENT_ERROR_NOT_FOUND);
        };
    for (IFloodlightModule module : onlyLoaded ? modules.loaded() : modules.available()) {
      shown.put(module.getClass().getName(), describe(module, modules));
    }
    return Json.of(shown);
  }

  private LoadedModules modulesOfContext() {
    Object service = getContext().getAttributes().get(LoadedModules.class.getCanonicalName());
    if (!(service instanceof LoadedModules modules)) {
      throw new IllegalStateException("no modules in the context");
    }
    return modules;
  }

  private static Map<String, Object> describe(IFloodlightModule module, LoadedModules modules) {
    return new Row()
        .put("name", module.getClass().getName())
        .put("provides", providers(module.getModuleServices(), modules))
        .put("depends", providers(module.getModuleDependencies(), modules))
        .put("loaded", modules.loaded().contains(module))
        .fields();
  }

  /** Each service with the class of the module that provides it; empty if none does. */
  private static Map<String, String> providers(
      @Nullable Collection<Class<? extends IFloodlightService>> services, LoadedModules modules) {
    return services == null
        ? Map.of()
        : services.stream()
            .collect(
                Collectors.toMap(
                    Class::getName,
                    service -> modules.providerOf(service).orElse(""),
                    (one, other) -> one,
                    TreeMap::new));
  }
}
