/** Benchmarks of MALOB, each a command of one program. */
@NullMarked
package io.malob.bench;

import org.jspecify.annotations.NullMarked;
