package io.malob.balancer.admission;

import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;

/**
 * The tables that decisions look up, and that transitions of connections change. All are
 * thread-safe.
 *
 * @param connections the connections
 * @param limiter the counts of connections at VIPs and members
 * @param halfOpen the counts of half-open connections at VIPs
 * @param affinity the members that clients had last
 * @param ftpSessions the control connections of FTP
 * @param recovering the connections that switches have rules of, and that are not recovered yet
 * @param buckets the buckets of proactive VIPs
 * @param ordinary the connections to members that are not to a VIP
 */
public record Tables(
    ConnectionTable connections,
    ConnectionLimiter limiter,
    HalfOpenLimit halfOpen,
    AffinityTable affinity,
    FtpSessions ftpSessions,
    RecoveringConnections recovering,
    Buckets buckets,
    OrdinaryConnections ordinary) {}
