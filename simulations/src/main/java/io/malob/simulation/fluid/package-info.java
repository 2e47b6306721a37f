/** The fluid model: transfers and computations as flows of work that share links and processors. */
@NullMarked
package io.malob.simulation.fluid;

import org.jspecify.annotations.NullMarked;
