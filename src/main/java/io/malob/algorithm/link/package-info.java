/** The choice of a host's uplink for a new flow. Pure: no clock, no I/O. */
@NullMarked
package io.malob.algorithm.link;

import org.jspecify.annotations.NullMarked;
