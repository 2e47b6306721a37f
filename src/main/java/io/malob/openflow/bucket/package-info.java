/**
 * The rules of proactive VIPs, which let switches place connections: buckets at clients' edges,
 * translation of replies at members' edges. Pure.
 */
package io.malob.openflow.bucket;
