package io.malob.module;

import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Two connections of switches with one datapath id.
 *
 * @param served the address of the switch that is served
 * @param refused the address of the other one
 */
public record DuplicateSwitch(DatapathId id, String served, String refused)
    implements Comparable<DuplicateSwitch> {
  @Override
  public int compareTo(DuplicateSwitch other) {
    return id.compareTo(other.id);
  }
}
