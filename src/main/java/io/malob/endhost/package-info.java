/**
 * Distributes a host's own flows over its uplinks: an Open vSwitch on the host, and this controller
 * beside it.
 */
@NullMarked
package io.malob.endhost;

import org.jspecify.annotations.NullMarked;
