/** Which of its own uplinks a host sends a new flow over. Pure: no clock, no I/O. */
@NullMarked
package io.malob.algorithm.link;

import org.jspecify.annotations.NullMarked;
