package io.malob.bench.load;

/**
 * The values of some OXM fields, as one match or one list of set-field actions gives them. Reused
 * for one message after the other. Fields that it does not know are counted, not kept.
 */
final class FieldSet {
  static final int ETH_DST = 1;
  static final int ETH_SRC = 1 << 1;
  static final int ETH_TYPE = 1 << 2;
  static final int IP_PROTO = 1 << 3;
  static final int IP_SRC = 1 << 4;
  static final int IP_DST = 1 << 5;
  static final int TCP_SRC = 1 << 6;
  static final int TCP_DST = 1 << 7;

  /** A field with a mask (but for the source MAC), of the other family, or unknown. */
  static final int OTHER = 1 << 8;

  static final int FIVE_TUPLE = ETH_TYPE | IP_PROTO | IP_SRC | IP_DST | TCP_SRC | TCP_DST;

  /** The bits of a MAC address that are the number of a next hop. */
  static final long NEXT_HOP = (1L << 40) - 1;

  private final AddressFamily family;

  int present;
  long ethDst;

  /** Its last five bytes: the number of a next hop, whatever the first byte is. */
  long nextHop;

  int ethType;
  int ipProto;
  int ipSrc;
  int ipDst;
  int tcpSrc;
  int tcpDst;

  /** Reads addresses of that family only. */
  FieldSet(AddressFamily family) {
    this.family = family;
  }

  void clear() {
    present = 0;
  }

  /** Whether it is exactly a TCP connection's five-tuple, perhaps with a destination MAC. */
  boolean isTcpTuple() {
    return (present & ~ETH_DST) == FIVE_TUPLE
        && ethType == family.etherType
        && ipProto == OpenFlow.IP_PROTO_TCP;
  }

  /** Reads one OXM and returns the offset of the next one. */
  int read(byte[] bytes, int at) {
    int header = Bytes.int32(bytes, at);
    int value = at + 4;
    int field = header >>> 9 & 0x7f;
    boolean hasMask = (header & 0x100) != 0;
    if (header >>> 16 != OpenFlow.OXM_CLASS || (hasMask && field != OpenFlow.OXM_ETH_SRC)) {
      present |= OTHER;
    } else {
      switch (field) {
        case OpenFlow.OXM_ETH_DST -> {
          ethDst = Bytes.uint48(bytes, value);
          present |= ETH_DST;
        }
        case OpenFlow.OXM_ETH_SRC -> {
          nextHop = Bytes.uint48(bytes, value) & NEXT_HOP;
          present |= ETH_SRC;
        }
        case OpenFlow.OXM_ETH_TYPE -> {
          ethType = Bytes.uint16(bytes, value);
          present |= ETH_TYPE;
        }
        case OpenFlow.OXM_IP_PROTO -> {
          ipProto = Bytes.uint8(bytes, value);
          present |= IP_PROTO;
        }
        case OpenFlow.OXM_TCP_SRC -> {
          tcpSrc = Bytes.uint16(bytes, value);
          present |= TCP_SRC;
        }
        case OpenFlow.OXM_TCP_DST -> {
          tcpDst = Bytes.uint16(bytes, value);
          present |= TCP_DST;
        }
        case OpenFlow.OXM_VLAN_VID -> present |= Bytes.uint16(bytes, value) == 0 ? 0 : OTHER;
        default -> readAddress(field, bytes, value);
      }
    }
    return value + (header & 0xff);
  }

  private void readAddress(int field, byte[] bytes, int at) {
    if (field == family.oxmSource) {
      ipSrc = family.read(bytes, at);
      present |= IP_SRC;
    } else if (field == family.oxmDestination) {
      ipDst = family.read(bytes, at);
      present |= IP_DST;
    } else {
      present |= OTHER;
    }
  }
}
