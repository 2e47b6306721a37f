package io.malob.controller.network.devices;

/**
 * What bounds the number of hosts that are remembered.
 *
 * @param maxDevices how many; when there are more, the ones seen longest ago go
 * @param lifeMillis how long a host may be silent before it is forgotten
 */
record DeviceLimits(int maxDevices, long lifeMillis) {}
