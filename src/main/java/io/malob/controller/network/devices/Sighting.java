package io.malob.controller.network.devices;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A packet of a host came in at a port where hosts may be.
 *
 * @param vlan 0 for none
 * @param address the address that the host claims by ARP, or NONE
 * @param isCertain whether a host that is known elsewhere has moved there
 */
record Sighting(
    MacAddress mac,
    int vlan,
    IPv4Address address,
    DatapathId switchId,
    OFPort port,
    boolean isCertain) {}
