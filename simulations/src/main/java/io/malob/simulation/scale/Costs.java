package io.malob.simulation.scale;

/** Costs and limits. docs/explanation/scale.md has the source of each. */
final class Costs {
  // ---- measured ----

  /** Processor time for a placement with the end of its rules: bench packet-in. */
  static final double PLACEMENT_SECONDS = 25e-6;

  /** Of a placement's five messages in that benchmark. */
  static final double MESSAGE_SECONDS = PLACEMENT_SECONDS / 5;

  /**
   * On Open vSwitch: a packet-in, two rules, a packet-out, the end of a rule, and copies of FIN and
   * RST (adr/0034).
   */
  static final double MESSAGES_PER_CONNECTION = 6.4;

  /** Processor time per second for an idle switch with one link: bench switches. */
  static final double SWITCH_SECONDS = 300e-6;

  /** Processor time for a health check: bench health. */
  static final double CHECK_SECONDS = 105e-6;

  /** Time to verify a rule at a change of masters: bench mastership. */
  static final double VERIFIED_RULE_SECONDS = 16e-6;

  /** Live heap of a controller, and more for each connection with rules: bench footprint. */
  static final double BASE_MEGABYTES = 14.4;

  static final double CONNECTION_BYTES = 190;

  /** New connections per second on one Open vSwitch, reactive: bench open-vswitch. */
  static final double SWITCH_CONNECTIONS = 2_462;

  /** Bytes of a member in etcd's compressed catalog: CatalogSizeTest. */
  static final double CATALOG_BYTES = 47;

  /** Time of a change in etcd, and more for each megabyte of its value: adr/0039. */
  static final double ETCD_WRITE_SECONDS = 0.003;

  static final double ETCD_MEGABYTE_SECONDS = 0.086;

  /**
   * States that a connection's owner sends to each other controller until its rule has expired, and
   * their bytes: ReplicaTest.
   */
  static final double REPLICA_STATES = 4;

  static final double REPLICA_BYTES = 86;

  // ---- limits of MALOB ----

  static final double MAX_OPEN = 500_000;
  static final double MAX_HOSTS = 100_000;
  static final double MAX_VIPS = 4_095;
  static final double MAX_MEMBERS = 65_535;
  static final double MAX_NEXT_HOPS = 10_000;
  static final double MAX_CONTROLLERS = 16;
  static final double MAX_REPORTS = 1_000;
  static final double LABELS = 1 << 23;

  /** Seconds within which a new master has verified all rules. */
  static final double TAKE_OVER_SECONDS = 5;

  static final double IDLE_TIMEOUT_SECONDS = 15;
  static final double CHECK_INTERVAL_SECONDS = 5;
  static final double PROBE_INTERVAL_SECONDS = 3;
  static final double REPORT_INTERVAL_SECONDS = 5;
  static final double STATISTICS_INTERVAL_SECONDS = 1;

  // ---- limits of others ----

  /** Rules of a switch: the default limit of Open vSwitch's datapath, flow-limit. */
  static final double SWITCH_RULES = 200_000;

  /** Bytes of a value in etcd: --max-request-bytes. */
  static final double ETCD_BYTES = 1_571_840;

  /** Bytes per second between controllers: 10 Gbit/s. */
  static final double PEER_BYTES_PER_SECOND = 1.25e9;

  // ---- assumed ----

  /** Processor time to apply such a state. */
  static final double REPLICA_SECONDS = 2e-6;

  /** A heap is so much larger than its live objects. */
  static final double HEAP_FACTOR = 2;

  /** Live heap of a known host. */
  static final double HOST_BYTES = 1_000;

  /** Changes of the catalog per second. */
  static final double CATALOG_CHANGES = 1;

  /** Bytes of a switch in a controller's key. */
  static final double NODE_KEY_BYTES = 26;

  private Costs() {}
}
