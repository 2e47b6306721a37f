package io.malob.store;

/** The contract, in memory. */
class MemoryStoreTest extends StoreContract {
  @Override
  protected Store open() {
    return new MemoryStore(notifier);
  }
}
