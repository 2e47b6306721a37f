package io.malob.module;

import io.malob.store.FileStore;
import io.malob.store.MemoryStore;
import io.malob.store.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the store of modules' persistent data: files, or memory if a module has no directory. The
 * only class that knows the implementations.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class StoreModule extends BaseModule implements IStoreService, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreModule.class);

  /** A removed token is rejected after this time. */
  private static final long POLL_MILLIS = 500;

  private final Map<Path, FileStore> files = new ConcurrentHashMap<>();
  private final Executor notifier = task -> this.timer.execute(task);
  private final MemoryStore memory = new MemoryStore(notifier);
  private ScheduledExecutorService timer;

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    timer = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    new Repetition(timer)
        .every(
            POLL_MILLIS,
            "reading files that others have edited",
            () -> files.values().forEach(FileStore::poll));
  }

  @Override
  public Store inDirectory(String data) {
    return data.isEmpty()
        ? memory
        : files.computeIfAbsent(
            absolute(Path.of(data)), path -> FileStore.inDirectory(path, notifier));
  }

  @Override
  public Store inFile(Path file) {
    return files.computeIfAbsent(absolute(file), path -> FileStore.inFile(path, notifier));
  }

  private static Path absolute(Path path) {
    return path.toAbsolutePath();
  }

  /** Closes all stores; in real Floodlight the end of the process does that. */
  @Override
  public void close() {
    for (FileStore store : files.values()) {
      try {
        store.close();
      } catch (IOException e) {
        // the only lock of a store is the catalog's
        LOG.warn("catalog_not_closed why=\"{}\"", e.getMessage());
      }
    }
  }
}
