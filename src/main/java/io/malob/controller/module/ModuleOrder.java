package io.malob.controller.module;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * Puts modules in the order of their dependencies: what a module needs comes before it, also where
 * it is not listed. Used by one thread, once.
 */
final class ModuleOrder {
  private final Map<String, IFloodlightModule> available = new LinkedHashMap<>();
  private final Map<Class<? extends IFloodlightService>, IFloodlightModule> chosen =
      new LinkedHashMap<>();
  private final Set<IFloodlightModule> ordered = new LinkedHashSet<>();

  /** The modules on the path from a listed module to the visited one. */
  private final Set<IFloodlightModule> path = new LinkedHashSet<>();

  private ModuleOrder(Collection<IFloodlightModule> modules) {
    modules.forEach(module -> available.put(nameOf(module), module));
  }

  /**
   * The modules of these class names and all that they need, dependencies first.
   *
   * @throws FloodlightModuleException naming the module and what is wrong: an unknown class, a
   *     service that no module or several modules offer, or modules that need each other
   */
  static List<IFloodlightModule> of(Collection<IFloodlightModule> available, List<String> listed)
      throws FloodlightModuleException {
    ModuleOrder order = new ModuleOrder(available);
    List<IFloodlightModule> wanted = new ArrayList<>();
    for (String name : new LinkedHashSet<>(listed)) {
      wanted.add(order.named(name));
    }
    for (IFloodlightModule module : wanted) {
      order.claimServices(module);
    }
    for (IFloodlightModule module : wanted) {
      order.visit(module);
    }
    return List.copyOf(order.ordered);
  }

  private IFloodlightModule named(String name) throws FloodlightModuleException {
    IFloodlightModule module = available.get(name);
    if (module == null) {
      throw new FloodlightModuleException(
          "There is no module "
              + name
              + " on the class path (META-INF/services/"
              + IFloodlightModule.class.getName()
              + ")");
    }
    return module;
  }

  private void claimServices(IFloodlightModule module) throws FloodlightModuleException {
    for (Class<? extends IFloodlightService> service : servicesOf(module)) {
      IFloodlightModule other = chosen.putIfAbsent(service, module);
      if (other != null && other != module) {
        throw new FloodlightModuleException(
            "Both " + nameOf(other) + " and " + nameOf(module) + " offer " + service.getName());
      }
    }
  }

  private void visit(IFloodlightModule module) throws FloodlightModuleException {
    if (ordered.contains(module)) {
      return;
    }
    if (!path.add(module)) {
      String cycle =
          path.stream()
              .dropWhile(visited -> visited != module)
              .map(visited -> nameOf(visited) + " needs ")
              .collect(Collectors.joining());
      throw new FloodlightModuleException(
          "Modules depend on each other: " + cycle + nameOf(module));
    }
    for (Class<? extends IFloodlightService> service : orEmpty(module.getModuleDependencies())) {
      visit(provider(service, module));
    }
    path.remove(module);
    ordered.add(module);
  }

  private IFloodlightModule provider(
      Class<? extends IFloodlightService> service, IFloodlightModule neededBy)
      throws FloodlightModuleException {
    IFloodlightModule known = chosen.get(service);
    if (known != null) {
      return known;
    }
    List<IFloodlightModule> offers =
        available.values().stream().filter(m -> servicesOf(m).contains(service)).toList();
    if (offers.size() != 1) {
      String problem =
          offers.isEmpty()
              ? "no module offers"
              : offers.stream().map(ModuleOrder::nameOf).collect(Collectors.joining(" and "))
                  + " all offer (list one of them)";
      throw new FloodlightModuleException(
          nameOf(neededBy) + " needs " + service.getName() + ", which " + problem);
    }
    claimServices(offers.get(0));
    return offers.get(0);
  }

  private static Collection<Class<? extends IFloodlightService>> servicesOf(
      IFloodlightModule module) {
    return orEmpty(module.getModuleServices());
  }

  /** Floodlight lets modules answer null for "none". */
  @SuppressWarnings("NullAway")
  private static <T> Collection<T> orEmpty(Collection<T> collection) {
    return collection == null ? List.of() : collection;
  }

  private static String nameOf(IFloodlightModule module) {
    return module.getClass().getName();
  }
}
