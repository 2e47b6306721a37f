package io.malob.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Shows a path from host to host: each switch with its ingress and egress port. */
final class ShownPath {
  private ShownPath() {}

  /** A switch of a path. */
  record Hop(@JsonProperty("switch") DatapathId switchId, long inPort, long outPort) {
    static Hop of(DatapathId switchId, OFPort in, OFPort out) {
      return new Hop(
          switchId,
          Integer.toUnsignedLong(in.getPortNumber()),
          Integer.toUnsignedLong(out.getPortNumber()));
    }
  }

  /**
   * The switches of a path in order.
   *
   * @param from the location of the sender
   * @param to the location of the receiver
   */
  static List<Hop> of(Path path, Attachment from, Attachment to) {
    List<Hop> hops = new ArrayList<>();
    DatapathId at = path.src();
    OFPort in = from.port();
    for (DirectedLink link : path.links()) {
      hops.add(Hop.of(at, in, link.srcPort()));
      at = link.dst();
      in = link.dstPort();
    }
    hops.add(Hop.of(at, in, to.port()));
    return hops;
  }
}
