package io.malob.rest;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Shows a path from host to host: each switch with its ingress and egress port. */
final class ShownPath {
  private ShownPath() {}

  /**
   * The switches of a path in order.
   *
   * @param from the location of the sender
   * @param to the location of the receiver
   */
  static List<Object> of(Path path, Attachment from, Attachment to) {
    List<Object> hops = new ArrayList<>();
    DatapathId at = path.src();
    OFPort in = from.port();
    for (DirectedLink link : path.links()) {
      hops.add(hop(at, in, link.srcPort()));
      at = link.dst();
      in = link.dstPort();
    }
    hops.add(hop(at, in, to.port()));
    return hops;
  }

  private static Map<String, Object> hop(DatapathId switchId, OFPort in, OFPort out) {
    Map<String, Object> hop = new LinkedHashMap<>();
    hop.put("switch", switchId.toString());
    hop.put("in_port", Integer.toUnsignedLong(in.getPortNumber()));
    hop.put("out_port", Integer.toUnsignedLong(out.getPortNumber()));
    return hop;
  }
}
