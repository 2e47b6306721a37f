/** Long runs of the parsers on spoiled input, guided by what of them each input reaches. */
@NullMarked
package io.malob.bench.fuzz;

import org.jspecify.annotations.NullMarked;
