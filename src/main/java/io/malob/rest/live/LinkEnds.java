package io.malob.rest.live;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.malob.algorithm.graph.DirectedLink;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The ends of a link as JSON.
 *
 * @param src the end that sends
 * @param dst the end that receives
 */
public record LinkEnds(End src, End dst) {
  /** A port of a switch. */
  public record End(@JsonProperty("switch") DatapathId switchId, int port) {}

  /** The ends of a link. */
  public static LinkEnds of(DirectedLink link) {
    return new LinkEnds(
        new End(link.src(), link.srcPort().getPortNumber()),
        new End(link.dst(), link.dstPort().getPortNumber()));
  }
}
