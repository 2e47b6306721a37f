package io.malob.rest;

import io.malob.json.RejectedException;
import io.malob.mptcp.IMptcpService;
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

  @Nullable RejectedException refusal;

  /** Whether switches have not confirmed what was applied or taken away. */
  boolean isUnconfirmed;

  private boolean applied;

  private void take(String what, byte[] request) throws RejectedException {
    if (refusal != null) {
      throw refusal;
    }
    requests.add(what + " " + new String(request, StandardCharsets.UTF_8));
  }

  @Override
  public Map<String, @Nullable Object> plan(byte[] request) throws RejectedException {
    take("plan", request);
    return Map.of("maximum", 15L);
  }

  @Override
  public Map<String, @Nullable Object> apply(byte[] request) throws RejectedException {
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
  public boolean clear() throws RejectedException {
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
