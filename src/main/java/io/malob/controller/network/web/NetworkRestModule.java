package io.malob.controller.network.web;

import io.malob.module.Settings;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.restserver.IRestApiService;

/** Shows links and hosts over HTTP. */
@Settings({})
public final class NetworkRestModule implements IFloodlightModule {

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleServices() {
    return List.of();
  }

  @Override
  public Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls() {
    return Map.of();
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IRestApiService.class, ILinkDiscoveryService.class, IDeviceService.class);
  }

  @Override
  public void init(FloodlightModuleContext context) {
    // nothing to prepare
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    IRestApiService rest = context.getServiceImpl(IRestApiService.class);
    ILinkDiscoveryService links = context.getServiceImpl(ILinkDiscoveryService.class);
    IDeviceService devices = context.getServiceImpl(IDeviceService.class);
    rest.addRestletRoutable(
        new NetworkRoutable(
            "/wm/topology", List.of("/links/json"), () -> LinkRows.of(links.getLinks())));
    rest.addRestletRoutable(
        new NetworkRoutable(
            "/wm/device",
            List.of("", "/all/json"),
            () -> Map.of("devices", DeviceRows.of(devices.getAllDevices()))));
  }
}
