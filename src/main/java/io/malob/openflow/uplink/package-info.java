/** The rules that send a host's flows over its uplinks. Pure. */
@NullMarked
package io.malob.openflow.uplink;

import org.jspecify.annotations.NullMarked;
