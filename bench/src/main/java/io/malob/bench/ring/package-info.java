/** Many switches without traffic. */
@NullMarked
package io.malob.bench.ring;

import org.jspecify.annotations.NullMarked;
