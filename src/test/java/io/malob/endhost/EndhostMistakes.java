package io.malob.endhost;

/** One mistake of each kind, for tests of other packages. */
public final class EndhostMistakes {
  private EndhostMistakes() {}

  public static EndhostException invalid() {
    return EndhostException.invalid("inside.mac", "inside.mac must be a MAC address");
  }

  public static EndhostException notFound() {
    return EndhostException.notFound("there is no uplink \"eth7\"");
  }

  public static EndhostException notConfigured() {
    return EndhostException.notConfigured();
  }
}
