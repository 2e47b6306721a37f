package io.malob.bench.load;

/** Numbers of OpenFlow 1.3 (the specification's chapter 7), as far as the hot path needs them. */
final class OpenFlow {
  static final int VERSION = 4;
  static final int HEADER_BYTES = 8;

  static final int ECHO_REQUEST = 2;
  static final int ECHO_REPLY = 3;
  static final int PACKET_IN = 10;
  static final int FLOW_REMOVED = 11;
  static final int PACKET_OUT = 13;
  static final int FLOW_MOD = 14;
  static final int MULTIPART_REQUEST = 18;
  static final int BARRIER_REQUEST = 20;
  static final int BARRIER_REPLY = 21;

  static final int NO_BUFFER = -1;
  static final int REASON_NO_MATCH = 0;
  static final int ALL_TABLES = 0xff;

  static final int FLOW_ADD = 0;
  static final int FLOW_DELETE = 3;
  static final int FLOW_DELETE_STRICT = 4;
  static final int SEND_FLOW_REMOVED = 1;

  static final int INSTRUCTION_GOTO_TABLE = 1;
  static final int INSTRUCTION_APPLY_ACTIONS = 4;
  static final int ACTION_OUTPUT = 0;
  static final int ACTION_SET_FIELD = 25;

  static final int OXM_CLASS = 0x8000;
  static final int OXM_IN_PORT = 0;
  static final int OXM_ETH_DST = 3;
  static final int OXM_ETH_SRC = 4;
  static final int OXM_ETH_TYPE = 5;
  static final int OXM_VLAN_VID = 6;
  static final int OXM_IP_PROTO = 10;
  static final int OXM_IPV4_SRC = 11;
  static final int OXM_IPV4_DST = 12;
  static final int OXM_TCP_SRC = 13;
  static final int OXM_TCP_DST = 14;
  static final int OXM_IPV6_SRC = 26;
  static final int OXM_IPV6_DST = 27;

  static final int ETHERTYPE_IPV4 = 0x0800;
  static final int ETHERTYPE_ARP = 0x0806;
  static final int ETHERTYPE_LLDP = 0x88cc;
  static final int IP_PROTO_TCP = 6;

  private OpenFlow() {}

  /** The first four bytes of an OXM without mask. */
  static int oxm(int field, int length) {
    return OXM_CLASS << 16 | field << 9 | length;
  }
}
