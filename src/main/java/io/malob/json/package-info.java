/**
 * JSON in and out, the same with the Jackson of the embedded controller and with Floodlight's,
 * which is older; and the rejection of a request. Depends on Jackson and Guava only.
 */
package io.malob.json;
