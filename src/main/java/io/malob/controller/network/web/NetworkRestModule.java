package io.malob.controller.network.web;

import io.malob.module.BaseModule;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.Routes;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import net.floodlightcontroller.restserver.IRestApiService;

/** Shows links and hosts over HTTP. */
@Settings({})
public final class NetworkRestModule extends BaseModule {

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IRestApiService.class, ILinkDiscoveryService.class, IDeviceService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings) {
    // nothing to prepare
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    IRestApiService rest = context.getServiceImpl(IRestApiService.class);
    ILinkDiscoveryService links = context.getServiceImpl(ILinkDiscoveryService.class);
    IDeviceService devices = context.getServiceImpl(IDeviceService.class);
    rest.addRestletRoutable(new ResourceRoutable("/wm/topology", topologyRoutes(links::getLinks)));
    rest.addRestletRoutable(
        new ResourceRoutable("/wm/device", deviceRoutes(devices::getAllDevices)));
  }

  static Routes topologyRoutes(Supplier<Map<Link, LinkInfo>> links) {
    return Routes.ignoringParameters()
        .get("links/json", call -> Reply.ok(LinkRows.of(links.get())));
  }

  static Routes deviceRoutes(Supplier<Collection<? extends IDevice>> devices) {
    Resource all = call -> Reply.ok(Map.of("devices", DeviceRows.of(devices.get())));
    return Routes.ignoringParameters().get("", all).get("all/json", all);
  }
}
