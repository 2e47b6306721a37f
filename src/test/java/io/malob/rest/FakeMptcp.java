package io.malob.rest;

import io.malob.mptcp.IMptcpService;
import io.malob.mptcp.MptcpException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes every request, but those that it is told to refuse. */
final class FakeMptcp implements IMptcpService {
  /** What was asked for, in order. */
  final List<String> requests = new ArrayList<>();

  @Nullable MptcpException refusal;

  /** Whether switches have not confirmed what was applied or taken away. */
  boolean isUnconfirmed;

  private boolean applied;

  private void take(String what, byte[] request) throws MptcpException {
    if (refusal != null) {
      throw refusal;
    }
    requests.add(what + " " + new String(request, StandardCharsets.UTF_8));
  }

  @Override
  public Map<String, @Nullable Object> plan(byte[] request) throws MptcpException {
    take("plan", request);
    return Map.of("maximum", 15L);
  }

  @Override
  public Map<String, @Nullable Object> apply(byte[] request) throws MptcpException {
    take("apply", request);
    applied = true;
    return status();
  }

  @Override
  public Map<String, @Nullable Object> status() {
    String appliedState = isUnconfirmed ? "applying" : "applied";
    return Map.of("state", applied ? appliedState : "none");
  }

  @Override
  public boolean clear() throws MptcpException {
    boolean was = applied;
    applied = false;
    return was;
  }

  @Override
  public Optional<String> picture() {
    return applied ? Optional.of("<svg/>") : Optional.empty();
  }

  @Override
  public boolean isInForce() {
    return !isUnconfirmed;
  }
}
