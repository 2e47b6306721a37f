/** The rules by which a host's switch carries the host's flows over its uplinks. Pure. */
@NullMarked
package io.malob.openflow.uplink;

import org.jspecify.annotations.NullMarked;
