package io.malob.mptcp;

/** One mistake of each kind, for tests of other packages. */
public final class MptcpMistakes {
  private MptcpMistakes() {}

  public static MptcpException invalid() {
    return MptcpException.invalid("method", "method must be one that there is");
  }

  public static MptcpException unavailable() {
    return MptcpException.unavailable("hosts.x", "hosts.x: there is none");
  }

  public static MptcpException notStored() {
    return MptcpException.notStored("the plan could not be stored");
  }
}
