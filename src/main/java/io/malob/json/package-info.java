/**
 * Reads and writes JSON, identically with the embedded controller's Jackson and with Floodlight's
 * older one; and the rejection of requests. Depends on Jackson and Guava only.
 */
package io.malob.json;
