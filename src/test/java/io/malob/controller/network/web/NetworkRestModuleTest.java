package io.malob.controller.network.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.malob.resource.ResourceRoutable;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanVid;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.data.Method;
import org.restlet.data.Reference;
import org.restlet.routing.Router;

@SuppressWarnings("JavaUtilDate") // Floodlight's type
class NetworkRestModuleTest {
  private static final LinkInfo DIRECT = new LinkInfo(new Date(1), new Date(2), null);
  private static final LinkInfo MULTIHOP = new LinkInfo(new Date(1), null, new Date(2));

  private static Link link(long src, int srcPort, long dst, int dstPort) {
    return new Link(
        DatapathId.of(src), OFPort.of(srcPort), DatapathId.of(dst), OFPort.of(dstPort), U64.ZERO);
  }

  private static Response get(ResourceRoutable routable, String path) {
    Context context = new Context();
    Router server = new Router(context);
    server.attach(routable.basePath(), routable.getRestlet(context));
    Request request = new Request(Method.GET, "http://127.0.0.1:8080" + path);
    request.getResourceRef().setBaseRef(new Reference("http://127.0.0.1:8080"));
    return server.handle(request);
  }

  @Test
  void links_inBothDirections_areOneRow() throws Exception {
    ResourceRoutable routable =
        new ResourceRoutable(
            "/wm/topology",
            NetworkRestModule.topologyRoutes(
                () ->
                    Map.of(
                        link(2, 3, 1, 2), DIRECT,
                        link(1, 2, 2, 3), DIRECT,
                        link(3, 1, 2, 4), MULTIHOP)));
    String expected =
        """
        [{"src-switch":"00:00:00:00:00:00:00:01","src-port":2,\
        "dst-switch":"00:00:00:00:00:00:00:02","dst-port":3,\
        "type":"internal","direction":"bidirectional"},\
        {"src-switch":"00:00:00:00:00:00:00:03","src-port":1,\
        "dst-switch":"00:00:00:00:00:00:00:02","dst-port":4,\
        "type":"external","direction":"unidirectional"}]""";
    for (String path : List.of("/wm/topology/links/json", "/wm/topology/links/json/")) {
      Response response = get(routable, path);
      assertEquals(200, response.getStatus().getCode());
      assertEquals(expected, response.getEntity().getText());
    }
    assertEquals(404, get(routable, "/wm/topology/links").getStatus().getCode());
    assertEquals(404, get(routable, "/wm/topology/links/jsonx").getStatus().getCode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/wm/device", "/wm/device/", "/wm/device/all/json", "/wm/device/all/json/"})
  void devices_showWhereTheyAre(String path) throws Exception {
    IDevice device = mock(IDevice.class);
    when(device.getDeviceKey()).thenReturn(1L);
    when(device.getMACAddressString()).thenReturn(MacAddress.of(2).toString());
    when(device.getIPv4Addresses()).thenReturn(new IPv4Address[] {IPv4Address.of("10.0.0.1")});
    when(device.getIPv6Addresses()).thenReturn(new IPv6Address[] {IPv6Address.of("2001:db8::1")});
    when(device.getVlanId()).thenReturn(new VlanVid[] {VlanVid.ofVlan(0)});
    when(device.getAttachmentPoints())
        .thenReturn(new SwitchPort[] {new SwitchPort(DatapathId.of(1), OFPort.of(4))});
    when(device.getLastSeen()).thenReturn(Date.from(Instant.ofEpochMilli(1_234)));
    ResourceRoutable routable =
        new ResourceRoutable("/wm/device", NetworkRestModule.deviceRoutes(() -> List.of(device)));
    String expected =
        """
        {"devices":[{"mac":["00:00:00:00:00:02"],"ipv4":["10.0.0.1"],"ipv6":["2001:db8::1"],"vlan":["0x0"],\
        "attachmentPoint":[{"switch":"00:00:00:00:00:00:00:01","port":"4"}],\
        "lastSeen":1234}]}""";
    Response response = get(routable, path);
    assertEquals(200, response.getStatus().getCode());
    assertEquals(expected, response.getEntity().getText());
  }
}
