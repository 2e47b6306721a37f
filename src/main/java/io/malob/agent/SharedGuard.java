package io.malob.agent;

import io.malob.file.DamagedException;
import io.malob.state.report.GuardFormat;
import io.malob.state.report.ReplayGuard;
import io.malob.state.report.ReplayGuard.Memory;
import io.malob.store.Folder;
import io.malob.store.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the last accepted reports with a key per agent, which the controllers of a cluster share:
 * each writes those of agents that have reported to it, and learns the others.
 */
final class SharedGuard implements KeptGuard {
  static final String KEY = "guard";

  private static final Logger LOG = LoggerFactory.getLogger(SharedGuard.class);
  private static final long PAUSE_MILLIS = 5_000;

  private final Folder folder;

  /** What the store has, as far as this controller knows. */
  private final Map<String, Memory> stored = new ConcurrentHashMap<>();

  private final Map<String, Memory> before;

  /** Changes before there is a listener. */
  private final List<String> early = new ArrayList<>();

  private Optional<BiConsumer<String, Memory>> listener = Optional.empty();
  private boolean failed;

  /**
   * That of a folder.
   *
   * @param store has the document of earlier versions, for all agents
   * @throws IOException if it cannot be read; the message is for users
   */
  SharedGuard(Folder folder, Store store) throws IOException {
    this.folder = folder;
    for (Map.Entry<String, String> each : folder.open(this::changed).entrySet()) {
      try {
        stored.put(each.getKey(), GuardFormat.parse(each.getValue()));
      } catch (DamagedException e) {
        throw new IOException(KEY + "/" + each.getKey() + " is damaged: " + e.getMessage(), e);
      }
    }
    ReplayGuard all = new ReplayGuard(stored, 0);
    store
        .read(StoredGuard.DOCUMENT)
        .content()
        .ifPresent(former -> former.forEach((agent, memory) -> all.learn(agent, memory, 0)));
    before = all.memory();
  }

  private synchronized void changed(String agent, Optional<String> value) {
    if (value.isEmpty()) {
      stored.remove(agent);
      return;
    }
    try {
      stored.put(agent, GuardFormat.parse(value.get()));
      if (listener.isPresent()) {
        tell(agent);
      } else {
        early.add(agent);
      }
    } catch (DamagedException e) {
      LOG.error("heard_reports_not_read agent=\"{}\" why=\"{}\"", agent, e.getMessage());
    }
  }

  private void tell(String agent) {
    Memory memory = stored.get(agent);
    if (memory != null) {
      listener.ifPresent(each -> each.accept(agent, memory));
    }
  }

  @Override
  public Map<String, Memory> get() {
    return before;
  }

  @Override
  public synchronized void follow(BiConsumer<String, Memory> changed) {
    listener = Optional.of(changed);
    early.forEach(this::tell);
    early.clear();
  }

  @Override
  public void save(Map<String, Memory> memory) {
    Map<String, Optional<String>> values = new LinkedHashMap<>();
    Map<String, Memory> sent = new HashMap<>();
    memory.forEach(
        (agent, now) -> {
          if (!now.equals(stored.get(agent))) {
            values.put(agent, Optional.of(GuardFormat.text(now)));
            sent.put(agent, now);
          }
        });
    put(values).forEach(agent -> stored.put(agent, sent.get(agent)));
  }

  @Override
  public void forget(Set<String> agents) {
    Map<String, Optional<String>> values = new LinkedHashMap<>();
    agents.stream()
        .filter(stored::containsKey)
        .forEach(agent -> values.put(agent, Optional.empty()));
    put(values).forEach(stored::remove);
  }

  private Set<String> put(Map<String, Optional<String>> values) {
    if (values.isEmpty()) {
      return Set.of();
    }
    try {
      Set<String> done = folder.put(values);
      failed = false;
      return done;
    } catch (IOException e) {
      if (!failed) {
        LOG.error("heard_reports_not_written file=\"{}\" why=\"{}\"", KEY, e.toString());
      }
      failed = true;
      return Set.of();
    }
  }

  @Override
  public long pauseMillis() {
    return PAUSE_MILLIS;
  }
}
