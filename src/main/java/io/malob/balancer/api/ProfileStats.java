package io.malob.balancer.api;

import java.util.Map;

/**
 * What is expected of new connections of one service through one VIP.
 *
 * @param vipId the VIP
 * @param serviceId the entry of the services table
 * @param isFtpData whether this is about the data connections of FTP
 * @param samples how many connections it has been learnt from
 * @param replyBytes from member to client, headers included
 * @param requestBytes from client to member, headers included
 * @param serviceNanos how long a member of weight 1 takes that has nothing else to do
 * @param serviceNanosByMember the same for each member that connections have been learnt from, by
 *     id
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
