/**
 * The fluid model of MPTCP: sub-flows that share the links of planned ways, or of ordinary ones.
 */
@NullMarked
package io.malob.bench.subflow;

import org.jspecify.annotations.NullMarked;
