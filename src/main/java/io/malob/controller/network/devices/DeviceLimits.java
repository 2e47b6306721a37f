package io.malob.controller.network.devices;

/**
 * The limits for known hosts.
 *
 * @param maxDevices the max number; beyond, those seen longest ago are removed
 * @param lifeMillis how long a host may be silent before it is forgotten
 */
record DeviceLimits(int maxDevices, long lifeMillis) {}
