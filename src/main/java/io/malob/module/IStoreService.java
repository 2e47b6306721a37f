package io.malob.module;

import io.malob.store.Store;
import java.nio.file.Path;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * Opens the stores for modules' persistent data. The same setting gets the same store; they are
 * closed with the controller.
 */
public interface IStoreService extends IFloodlightService {
  /**
   * The store of a module.
   *
   * @param data the module's setting of that name: a directory; if it is empty, data does not
   *     survive a restart
   */
  Store inDirectory(String data);

  /** The store of a document for which a setting names a file of its own. */
  Store inFile(Path file);
}
