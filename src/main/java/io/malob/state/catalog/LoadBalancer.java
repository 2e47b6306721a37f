package io.malob.state.catalog;

import org.projectfloodlight.openflow.types.IPAddress;

/**
 * An address of VIPs. Each VIP with this address belongs to it.
 *
 * @param id its id in URLs
 * @param name a display name, which may be empty
 * @param address a unicast address that no other load balancer and no member has
 * @param adminState up or down; if down, none of its VIPs takes new connections
 * @param notes descriptions without effect
 */
public record LoadBalancer(
    String id, String name, IPAddress<?> address, AdminState adminState, Notes notes)
    implements CatalogItem {}
