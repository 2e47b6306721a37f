package io.malob.balancer.connection;

/** What becomes of a packet that is to be sent on. */
public enum Delivery {
  /** The paths are ready: it can be sent. */
  READY,
  /** It is kept until they are. */
  PENDING,
  /** Too many are kept already. */
  FULL
}
