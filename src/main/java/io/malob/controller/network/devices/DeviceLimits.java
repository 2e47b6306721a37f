package io.malob.controller.network.devices;

/**
 * The limits for known hosts.
 *
 * @param maxDevices the max number; beyond, those seen longest ago are removed
 * @param lifeMillis how long a host may be silent before it is forgotten
 */
record DeviceLimits(int maxDevices, long lifeMillis) {
  private static final int ADDRESSES_PER_DEVICE = 4;

  /** How many addresses all hosts may have; beyond, a further one replaces one of the same host. */
  int maxAddresses() {
    return ADDRESSES_PER_DEVICE * maxDevices;
  }
}
