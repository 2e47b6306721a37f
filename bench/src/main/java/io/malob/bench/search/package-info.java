/** Networks to search in. */
@NullMarked
package io.malob.bench.search;

import org.jspecify.annotations.NullMarked;
