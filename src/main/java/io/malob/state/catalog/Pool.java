package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import org.jspecify.annotations.Nullable;

/**
 * The servers behind a VIP.
 *
 * @param id its id in URLs
 * @param name a display name, which may be empty
 * @param protocol null for the VIP's; never different from the VIP's
 * @param loadBalancerId the load balancer that it belongs to, which exists and has its VIP's
 *     address; null for none
 * @param vipId the VIP that it serves, which exists; null for none
 * @param algorithm null to leave it to the VIP and the services
 * @param slowStartSeconds the time until a new or recovered member reaches its full share; 0 for no
 *     slow start
 * @param persistence the session persistence; null for none
 * @param sourceNat whether members see addresses of switches instead of those of clients
 * @param adminState up or down; if down, its VIP takes no new connections
 * @param notes descriptions without effect
 */
public record Pool(
    String id,
    String name,
    @Nullable Protocol protocol,
    @Nullable String loadBalancerId,
    @Nullable String vipId,
    @Nullable Algorithm algorithm,
    int slowStartSeconds,
    @Nullable Persistence persistence,
    boolean sourceNat,
    AdminState adminState,
    Notes notes)
    implements CatalogItem {}
