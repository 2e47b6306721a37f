package io.malob.controller.network.devices;

import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** The VLANs of the known hosts at each port. Thread-safe; nothing blocks. */
public interface HostVlans extends IFloodlightService {
  /**
   * Whether a host at the port may be in a VLAN: one is known, or no host is known there. In
   * constant time.
   *
   * @param vlan 0 for untagged frames
   */
  boolean mayHave(DatapathId switchId, OFPort port, int vlan);
}
