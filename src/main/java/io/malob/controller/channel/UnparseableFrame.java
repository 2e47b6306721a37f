package io.malob.controller.channel;

/**
 * A message of right length that cannot be parsed; the messages after it are not affected.
 *
 * @param type the type in its header, as on the wire
 * @param xid the transaction that it belongs to
 * @param reason the error
 */
record UnparseableFrame(int type, long xid, String reason) {}
