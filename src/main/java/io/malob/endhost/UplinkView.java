package io.malob.endhost;

import java.util.Optional;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The current state of an uplink. Immutable.
 *
 * @param number from 1; stays with the name as long as the controller runs
 * @param port empty while the switch does not have it
 * @param gatewayMac of the IPv4 router; empty until it has answered ARP
 * @param gatewayMac6 of the IPv6 router
 * @param alive whether it can carry flows: port up, address, router known and alive, and capacity
 *     not set to 0
 * @param silent whether it is alive, but may be about to be found dead: its router owes an answer,
 *     and little else arrives
 * @param capacityBps towards the host, in bit/s; 0 if unknown, or recorded so
 * @param capacitySource its source: {@code recorded}, {@code probes}, {@code saturation}, {@code
 *     assumed} or {@code unknown}
 * @param rateBps carried towards the host in the last second, in bit/s of IP packets
 * @param peakBps the max of that rate in the last ten seconds
 * @param sentBps carried from the host in the last second, in bit/s of IP packets
 * @param roundTripNanos recent min round trip to the gateway; 0 if unknown
 */
record UplinkView(
    Uplink uplink,
    int number,
    Optional<OFPort> port,
    Optional<MacAddress> gatewayMac,
    Optional<MacAddress> gatewayMac6,
    boolean alive,
    boolean silent,
    long capacityBps,
    String capacitySource,
    long rateBps,
    long peakBps,
    long sentBps,
    long roundTripNanos) {}
