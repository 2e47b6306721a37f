package io.malob.controller.rest;

import java.util.Comparator;
import java.util.List;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.restlet.representation.Representation;
import org.restlet.resource.Get;
import org.restlet.resource.ServerResource;

/** Lists the connected switches, by datapath id. */
public final class SwitchesResource extends ServerResource {

  /** One switch, with Floodlight's field names; times are milliseconds since the epoch. */
  private record SwitchRecord(
      String switchDPID, String inetAddress, long connectedSince, String openFlowVersion) {

    @SuppressWarnings("JavaUtilDate") // Floodlight's type
    static SwitchRecord of(IOFSwitch sw) {
      return new SwitchRecord(
          sw.getId().toString(),
          sw.getInetAddress().toString(),
          sw.getConnectedSince().getTime(),
          sw.getOFFactory().getVersion().name());
    }
  }

  /** The switches that are connected now. */
  @Get
  public Representation switches() {
    Object service = getContext().getAttributes().get(IOFSwitchService.class.getCanonicalName());
    if (!(service instanceof IOFSwitchService connected)) {
      throw new IllegalStateException("no switch service in the context");
    }
    List<SwitchRecord> switches =
        connected.getAllSwitchMap().values().stream()
            .sorted(Comparator.comparing(IOFSwitch::getId))
            .map(SwitchRecord::of)
            .toList();
    return Json.of(switches);
  }
}
