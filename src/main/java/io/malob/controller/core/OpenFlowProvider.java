package io.malob.controller.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IInfoProvider;
import net.floodlightcontroller.core.IOFMessageListener;
import org.projectfloodlight.openflow.protocol.OFType;

/** Where modules subscribe to messages of switches. Safe for use by several threads. */
final class OpenFlowProvider implements IFloodlightProviderService {
  private final MessageListeners listeners;
  private final Runnable listen;
  private final Map<String, List<IInfoProvider>> infoProviders = new HashMap<>();
  private final long startMillis = System.currentTimeMillis();

  /** A provider over these listeners; {@code listen} opens the port for switches. */
  OpenFlowProvider(MessageListeners listeners, Runnable listen) {
    this.listeners = listeners;
    this.listen = listen;
  }

  /**
   * Starts listening for switches and returns; called once, when all modules are up.
   *
   * @throws java.io.UncheckedIOException if the port cannot be bound
   */
  @Override
  public void run() {
    listen.run();
  }

  @Override
  public void addOFMessageListener(OFType type, IOFMessageListener listener) {
    listeners.add(type, listener);
  }

  @Override
  public void removeOFMessageListener(OFType type, IOFMessageListener listener) {
    listeners.remove(type, listener);
  }

  @Override
  public Map<OFType, List<IOFMessageListener>> getListeners() {
    return listeners.all();
  }

  @Override
  public synchronized void addInfoProvider(String name, IInfoProvider provider) {
    infoProviders.computeIfAbsent(name, any -> new CopyOnWriteArrayList<>()).add(provider);
  }

  @Override
  public synchronized void removeInfoProvider(String name, IInfoProvider provider) {
    infoProviders.getOrDefault(name, List.of()).remove(provider);
  }

  @Override
  public Map<String, Object> getControllerInfo(String name) {
    List<IInfoProvider> providers;
    synchronized (this) {
      providers = infoProviders.getOrDefault(name, List.of());
    }
    Map<String, Object> all = new HashMap<>();
    for (IInfoProvider provider : providers) {
      Map<String, Object> info = provider.getInfo(name);
      if (info != null) {
        all.putAll(info);
      }
    }
    return all;
  }

  @Override
  public long getSystemStartTime() {
    return startMillis;
  }
}
