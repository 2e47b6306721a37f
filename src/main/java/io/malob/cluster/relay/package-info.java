/**
 * Rules and packets for switches that have another controller as their master: sent to that
 * controller, which writes them as they are. It knows the seam to the streams and to the election
 * in {@code io.malob.module}, and OpenFlow.
 */
package io.malob.cluster.relay;
