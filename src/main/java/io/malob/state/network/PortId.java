package io.malob.state.network;

import java.util.Comparator;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** A port of a switch. Ordered by switch, then number. */
public record PortId(DatapathId switchId, OFPort port) implements Comparable<PortId> {
  private static final Comparator<PortId> ORDER =
      Comparator.comparing(PortId::switchId).thenComparing(PortId::port);

  @Override
  public int compareTo(PortId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return switchId + "/" + port;
  }
}
