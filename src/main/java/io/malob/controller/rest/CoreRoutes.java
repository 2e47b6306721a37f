package io.malob.controller.rest;

import io.malob.controller.guard.RefusalCounts;
import io.malob.controller.module.LoadedModules;
import io.malob.json.Json;
import io.malob.resource.Demand;
import io.malob.resource.Reply;
import io.malob.resource.RouteTable;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;

/** The table of the resources of the controller itself, with Floodlight's paths and field names. */
final class CoreRoutes {
  private CoreRoutes() {}

  /** The routes; that the controller is healthy is served only when all modules are up. */
  static RouteTable of(FloodlightModuleContext context) {
    IOFSwitchService switches = context.getServiceImpl(IOFSwitchService.class);
    StatisticsResource statistics =
        new StatisticsResource(switches, new StatisticReader(Runtime.getRuntime().maxMemory()));
    RouteTable routes =
        RouteTable.ignoringParameters()
            .get("health/json", call -> Reply.ok(Map.of("healthy", true)))
            .get("controller/switches/json", call -> Reply.ok(switches(switches)))
            .get("switch/{switch}/{stat}/json", statistics::show)
            .demanding("switch/{switch}/{stat}/json", Demand.WAITING);
    LoadedModules modules = context.getServiceImpl(LoadedModules.class);
    RefusalCounts refusals = context.getServiceImpl(RefusalCounts.class);
    return routes
        .get("module/all/json", call -> Reply.ok(shown(modules.available(), modules)))
        .get("module/loaded/json", call -> Reply.ok(shown(modules.loaded(), modules)))
        .get("refused/json", call -> Reply.ok(refusals.byLabel()));
  }

  private static List<Map<String, Object>> switches(IOFSwitchService connected) {
    return connected.getAllSwitchMap().values().stream()
        .sorted(Comparator.comparing(IOFSwitch::getId))
        .map(CoreRoutes::shown)
        .toList();
  }

  /** One switch; the time is in milliseconds since the epoch. */
  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  private static Map<String, Object> shown(IOFSwitch sw) {
    return Json.fields(
        "switchDPID", sw.getId().toString(),
        "inetAddress", sw.getInetAddress().toString(),
        "connectedSince", sw.getConnectedSince().getTime(),
        "openFlowVersion", sw.getOFFactory().getVersion().name());
  }

  /**
   * Modules under their class names, with Floodlight's field names: services that each provides and
   * needs, and the modules that those come from.
   */
  private static Map<String, Object> shown(
      Collection<? extends IFloodlightModule> some, LoadedModules modules) {
    Map<String, Object> shown = new TreeMap<>();
    for (IFloodlightModule module : some) {
      shown.put(module.getClass().getName(), describe(module, modules));
    }
    return shown;
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
