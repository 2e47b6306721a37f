package io.malob.algorithm.link;

/**
 * The known values of one uplink of a host when a flow is placed.
 *
 * @param number of the uplink, stable as long as it is configured
 * @param weight that the operator gave it; 0 if its capacity is to be its weight
 * @param capacityBps its capacity towards the host, in bit/s; 0 if unknown
 * @param rateBps its recent rate towards the host, in bit/s
 * @param peakBps the max of that rate in the last seconds
 * @param openFlows flows that were placed on it and have not ended
 * @param expectedBytes the expected traffic of its open flows while a new one is open; the sum of
 *     {@link FlowSizes#expectedBytes}
 */
public record UplinkLoad(
    int number,
    double weight,
    long capacityBps,
    long rateBps,
    long peakBps,
    int openFlows,
    double expectedBytes) {}
