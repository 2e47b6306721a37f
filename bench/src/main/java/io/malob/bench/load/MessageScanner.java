package io.malob.bench.load;

/**
 * Reads FLOW_MOD and PACKET_OUT from bytes, without creating objects. Its fields hold the message
 * that was read last.
 */
final class MessageScanner {
  /** No port, no table. */
  static final int NONE = -1;

  private static final int FLOW_MOD_MATCH = 48;
  private static final int PACKET_OUT_ACTIONS = 24;

  final FieldSet match;
  final FieldSet set;
  long cookie;
  long cookieMask;
  int table;
  int command;
  int priority;
  int idleSeconds;
  int hardSeconds;
  int flags;
  int gotoTable;

  /** The last output port, or none. */
  int outPort;

  /** Where the frame of a PACKET_OUT starts. */
  int frame;

  int frameBytes;

  /** A scanner for a network of that family. */
  MessageScanner(AddressFamily family) {
    match = new FieldSet(family);
    set = new FieldSet(family);
  }

  void readFlowMod(byte[] bytes, int at, int length) {
    cookie = Bytes.int64(bytes, at + 8);
    cookieMask = Bytes.int64(bytes, at + 16);
    table = Bytes.uint8(bytes, at + 24);
    command = Bytes.uint8(bytes, at + 25);
    idleSeconds = Bytes.uint16(bytes, at + 26);
    hardSeconds = Bytes.uint16(bytes, at + 28);
    priority = Bytes.uint16(bytes, at + 30);
    flags = Bytes.uint16(bytes, at + 44);
    gotoTable = NONE;
    outPort = NONE;
    match.clear();
    set.clear();
    int matchBytes = Bytes.uint16(bytes, at + FLOW_MOD_MATCH + 2);
    int matchEnd = at + FLOW_MOD_MATCH + matchBytes;
    for (int oxm = at + FLOW_MOD_MATCH + 4; oxm < matchEnd; ) {
      oxm = match.read(bytes, oxm);
    }
    int instruction = at + FLOW_MOD_MATCH + padded(matchBytes);
    while (instruction < at + length) {
      int instructionBytes = Bytes.uint16(bytes, instruction + 2);
      switch (Bytes.uint16(bytes, instruction)) {
        case OpenFlow.INSTRUCTION_GOTO_TABLE -> gotoTable = Bytes.uint8(bytes, instruction + 4);
        case OpenFlow.INSTRUCTION_APPLY_ACTIONS ->
            readActions(bytes, instruction + 8, instruction + instructionBytes);
        default -> {}
      }
      instruction += Math.max(8, instructionBytes);
    }
  }

  void readPacketOut(byte[] bytes, int at, int length) {
    outPort = NONE;
    set.clear();
    int actionBytes = Bytes.uint16(bytes, at + 16);
    frame = at + PACKET_OUT_ACTIONS + actionBytes;
    frameBytes = at + length - frame;
    readActions(bytes, at + PACKET_OUT_ACTIONS, frame);
  }

  private void readActions(byte[] bytes, int from, int end) {
    int action = from;
    while (action < end) {
      switch (Bytes.uint16(bytes, action)) {
        case OpenFlow.ACTION_OUTPUT -> outPort = Bytes.int32(bytes, action + 4);
        case OpenFlow.ACTION_SET_FIELD -> {
          int unused = set.read(bytes, action + 4);
        }
        default -> set.present |= FieldSet.OTHER;
      }
      action += Math.max(8, Bytes.uint16(bytes, action + 2));
    }
  }

  /** The EtherType of a PACKET_OUT's frame; 0 if it is too short. */
  int etherType(byte[] bytes) {
    return frameBytes < 14 ? 0 : Bytes.uint16(bytes, frame + 12);
  }

  private static int padded(int length) {
    return (length + 7) & ~7;
  }
}
