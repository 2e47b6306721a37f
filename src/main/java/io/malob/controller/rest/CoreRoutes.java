package io.malob.controller.rest;

import io.malob.controller.guard.RefusalCounts;
import io.malob.controller.module.LoadedModules;
import io.malob.resource.Demand;
import io.malob.resource.Reply;
import io.malob.resource.Routes;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;

/** The table of the resources of the controller itself, with Floodlight's paths and field names. */
final class CoreRoutes {
  private CoreRoutes() {}

  /** The routes; that the controller is healthy is served only when all modules are up. */
  static Routes of(FloodlightModuleContext context) {
    IOFSwitchService switches = context.getServiceImpl(IOFSwitchService.class);
    StatisticsResource statistics =
        new StatisticsResource(switches, new StatisticReader(Runtime.getRuntime().maxMemory()));
    Routes routes =
        Routes.ignoringParameters()
            .get("health/json", call -> Reply.ok(Map.of("healthy", true)))
            .get("controller/switches/json", call -> Reply.ok(switches(switches)))
            .get("switch/{switch}/{stat}/json", statistics::show)
            .demanding("switch/{switch}/{stat}/json", Demand.WAITING);
    LoadedModules modules = context.getServiceImpl(LoadedModules.class);
    RefusalCounts refusals = context.getServiceImpl(RefusalCounts.class);
    return routes
        .get("module/all/json", call -> Reply.ok(ShownModules.of(modules.available(), modules)))
        .get("module/loaded/json", call -> Reply.ok(ShownModules.of(modules.loaded(), modules)))
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
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("switchDPID", sw.getId().toString());
    shown.put("inetAddress", sw.getInetAddress().toString());
    shown.put("connectedSince", sw.getConnectedSince().getTime());
    shown.put("openFlowVersion", sw.getOFFactory().getVersion().name());
    return shown;
  }
}
