/**
 * JSON in and out, the same with the Jackson of the embedded controller and with Floodlight's,
 * which is older. Depends on Jackson only.
 */
package io.malob.json;
