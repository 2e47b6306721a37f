package io.malob.controller.guard;

import io.malob.module.EnumCounts;
import io.malob.module.INetworkRefusalService;
import java.util.Map;

/** The number of rejections by kind since the controller's start. Any thread, no lock. */
public final class RefusalCounts extends EnumCounts<Refusal> implements INetworkRefusalService {
  public RefusalCounts() {
    super(Refusal.class);
  }

  @Override
  public Map<String, Long> byLabel() {
    return by(Refusal::label);
  }
}
