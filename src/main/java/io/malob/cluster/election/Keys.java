package io.malob.cluster.election;

import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of the election in etcd. */
final class Keys {
  private static final Logger logger = LoggerFactory.getLogger(Keys.class);

  /** Live controllers, by name; each depends on the lease of its controller. */
  static final String NODES = "nodes/";

  /** The numbers of live controllers, with their names; with the same lease. */
  static final String SLOTS = "slots/";

  /** The masters of switches: names of controllers, by datapath id; with the master's lease. */
  static final String MASTERS = "masters/";

  /** Permanent values of the cluster. */
  static final String CLUSTER = "cluster/";

  /** The number that is added to revisions to make generation ids; absent: 0. */
  static final String BASE = CLUSTER + "generation-base";

  /** The key that signs link probes, in hexadecimal. */
  static final String PROBE_KEY = CLUSTER + "probe-key";

  /** The key that authenticates the streams between controllers, in hexadecimal. */
  static final String PEER_KEY = CLUSTER + "peer-key";

  /** The policy of mastership: {@code single} or {@code spread}. */
  static final String MASTERSHIP = CLUSTER + "mastership";

  /** The switch that was moved last because of the policy. */
  static final String MOVE = CLUSTER + "move";

  private Keys() {}

  static String node(String name) {
    return NODES + name;
  }

  static String slot(int number) {
    return SLOTS + number;
  }

  static String master(DatapathId switchId) {
    return MASTERS + switchId;
  }

  /** The switch of a key of {@link #master}; null if the key is none. */
  static @Nullable DatapathId switchOf(String key) {
    try {
      DatapathId id = DatapathId.of(key.substring(MASTERS.length()));
      return key.equals(master(id)) ? id : null; // other spellings would be second keys
    } catch (IllegalArgumentException e) {
      return null; // not written by a controller
    }
  }

  /** Logs that the value of a key is of no use. */
  static void unreadable(String key, String why) {
    logger.warn("cluster_key_unreadable key={} why=\"{}\"", key, why);
  }
}
