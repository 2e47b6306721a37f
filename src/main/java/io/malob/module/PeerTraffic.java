package io.malob.module;

/**
 * What the streams between controllers have carried since the start.
 *
 * @param sentMessages to all peers together
 * @param sentBytes including signs of life
 * @param damagedMessages those of the received ones that could not be read, and had no effect
 * @param waitingBytes of messages that are not sent yet
 */
public record PeerTraffic(
    long sentMessages,
    long sentBytes,
    long receivedMessages,
    long receivedBytes,
    long damagedMessages,
    long waitingBytes) {
  /** No stream has carried anything. */
  public static final PeerTraffic NONE = new PeerTraffic(0, 0, 0, 0, 0, 0);
}
