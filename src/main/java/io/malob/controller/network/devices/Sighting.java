package io.malob.controller.network.devices;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A packet of a host came in at a port where hosts may be.
 *
 * @param vlan 0 for none
 * @param address the address that the host claims by ARP or neighbour discovery; unspecified if
 *     none
 * @param isCertain whether a host that is known elsewhere has moved there
 */
record Sighting(
    MacAddress mac,
    int vlan,
    IPAddress<?> address,
    DatapathId switchId,
    OFPort port,
    boolean isCertain) {}
