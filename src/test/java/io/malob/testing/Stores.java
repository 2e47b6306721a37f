package io.malob.testing;

import io.malob.module.IStoreService;
import io.malob.module.StoreModule;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/** The stores of a module under test, as a controller would choose them. */
public final class Stores {
  private Stores() {}

  /**
   * Adds the service to a context that has a thread pool; it does not read files again before it is
   * started.
   */
  public static StoreModule addTo(FloodlightModuleContext context) {
    StoreModule stores = new StoreModule();
    try {
      stores.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalStateException(e);
    }
    context.addService(IStoreService.class, stores);
    return stores;
  }
}
