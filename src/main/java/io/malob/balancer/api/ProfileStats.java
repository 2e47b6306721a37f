package io.malob.balancer.api;

import java.util.Map;

/**
 * The expected properties of new connections to one service through one VIP.
 *
 * @param vipId the VIP
 * @param serviceId the entry of the services table
 * @param isFtpData whether the profile is about FTP data connections
 * @param samples the number of connections that it was learned from
 * @param replyBytes bytes from member to client, including headers
 * @param requestBytes bytes from client to member, including headers
 * @param serviceNanos the service time of an idle member of weight 1
 * @param serviceNanosByMember the same for each member with samples, by member id
 */
public record ProfileStats(
    String vipId,
    String serviceId,
    boolean isFtpData,
    int samples,
    double replyBytes,
    double requestBytes,
    double serviceNanos,
    Map<String, Double> serviceNanosByMember) {}
