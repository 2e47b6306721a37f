package io.malob.controller.network.web;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.jspecify.annotations.Nullable;

/** Links as Floodlight shows them. Pure. */
final class LinkRows {
  private LinkRows() {}

  /** One link; a link in both directions is one row, from the smaller end. */
  @JsonPropertyOrder({"src-switch", "src-port", "dst-switch", "dst-port", "type", "direction"})
  record Row(
      @JsonProperty("src-switch") String srcSwitch,
      @JsonProperty("src-port") int srcPort,
      @JsonProperty("dst-switch") String dstSwitch,
      @JsonProperty("dst-port") int dstPort,
      String type,
      String direction) {}

  /** The rows of these directed links, in order. */
  static List<Row> of(Map<Link, LinkInfo> links) {
    Set<Link> sorted = new TreeSet<>(links.keySet());
    return sorted.stream()
        .filter(link -> link.compareTo(reverse(link)) <= 0 || !sorted.contains(reverse(link)))
        .map(link -> row(link, links.get(link), sorted.contains(reverse(link))))
        .toList();
  }

  private static Row row(Link link, @Nullable LinkInfo info, boolean bothWays) {
    boolean isMultihop = info != null && info.getLinkType() == LinkType.MULTIHOP_LINK;
    return new Row(
        link.getSrc().toString(),
        link.getSrcPort().getPortNumber(),
        link.getDst().toString(),
        link.getDstPort().getPortNumber(),
        isMultihop ? "external" : "internal",
        bothWays ? "bidirectional" : "unidirectional");
  }

  private static Link reverse(Link link) {
    return new Link(
        link.getDst(), link.getDstPort(), link.getSrc(), link.getSrcPort(), link.getLatency());
  }
}
