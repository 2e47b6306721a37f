package io.malob.algorithm;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The location of a host in the network.
 *
 * @param switchId its edge switch
 * @param port the port of that switch
 * @param mac the host's address, or that of the router in front of it
 */
public record Attachment(DatapathId switchId, OFPort port, MacAddress mac) {}
