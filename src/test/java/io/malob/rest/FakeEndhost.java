package io.malob.rest;

import io.malob.endhost.IEndhostService;
import io.malob.json.RejectedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes every request, but those that it is told to refuse. */
final class FakeEndhost implements IEndhostService {
  /** What was asked for, in order. */
  final List<String> requests = new ArrayList<>();

  @Nullable RejectedException refusal;

  /** Whether changes take longer than their requests wait. */
  boolean isBusy;

  private boolean configured;

  private Map<String, @Nullable Object> take(String what, byte[] request) throws RejectedException {
    if (refusal != null) {
      throw refusal;
    }
    requests.add(what + " " + new String(request, StandardCharsets.UTF_8));
    return status();
  }

  @Override
  public Map<String, @Nullable Object> status() {
    return Map.of("configured", configured);
  }

  @Override
  public Map<String, @Nullable Object> configure(byte[] request) throws RejectedException {
    configured = true;
    return take("configure", request);
  }

  @Override
  public Map<String, @Nullable Object> setAlgorithm(byte[] request) throws RejectedException {
    return take("algorithm", request);
  }

  @Override
  public Map<String, @Nullable Object> setCapacity(String uplink, byte[] request)
      throws RejectedException {
    return take("capacity of " + uplink, request);
  }

  @Override
  public List<Map<String, @Nullable Object>> flows(int limit) {
    requests.add("flows " + limit);
    return List.of();
  }

  @Override
  public boolean clear() {
    boolean was = configured;
    configured = false;
    return was;
  }

  @Override
  public boolean isInForce() {
    return !isBusy;
  }
}
