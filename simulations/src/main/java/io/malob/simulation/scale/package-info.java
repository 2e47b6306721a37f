/** A model of what a network demands of switches, controllers and etcd, and what runs out first. */
@NullMarked
package io.malob.simulation.scale;

import org.jspecify.annotations.NullMarked;
