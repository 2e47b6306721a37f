package io.malob.controller.network.web;

import java.util.LinkedHashMap;
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

  /**
   * The rows of these directed links, in order; a link in both directions starts at the smaller
   * end.
   */
  static List<Map<String, Object>> of(Map<Link, LinkInfo> links) {
    Set<Link> sorted = new TreeSet<>(links.keySet());
    return sorted.stream()
        .filter(link -> link.compareTo(reverse(link)) <= 0 || !sorted.contains(reverse(link)))
        .map(link -> row(link, links.get(link), sorted.contains(reverse(link))))
        .toList();
  }

  private static Map<String, Object> row(Link link, @Nullable LinkInfo info, boolean bothWays) {
    boolean isMultihop = info != null && info.getLinkType() == LinkType.MULTIHOP_LINK;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("src-switch", link.getSrc().toString());
    row.put("src-port", link.getSrcPort().getPortNumber());
    row.put("dst-switch", link.getDst().toString());
    row.put("dst-port", link.getDstPort().getPortNumber());
    row.put("type", isMultihop ? "external" : "internal");
    row.put("direction", bothWays ? "bidirectional" : "unidirectional");
    return row;
  }

  private static Link reverse(Link link) {
    return new Link(
        link.getDst(), link.getDstPort(), link.getSrc(), link.getSrcPort(), link.getLatency());
  }
}
