/**
 * The fluid model of MPTCP: sub-flows that share the links of planned paths, or of ordinary ones.
 */
@NullMarked
package io.malob.simulation.subflow;

import org.jspecify.annotations.NullMarked;
