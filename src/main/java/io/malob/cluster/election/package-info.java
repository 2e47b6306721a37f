/**
 * The election of one master per switch among the controllers of a cluster. Its generation ids come
 * from etcd's revisions, so the switch itself rejects a former master. It knows etcd's interface,
 * JSON, and the seam to the OpenFlow channel in {@code io.malob.module}.
 */
package io.malob.cluster.election;
