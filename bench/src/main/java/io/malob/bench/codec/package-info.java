/** The ceiling to compare a controller with: a responder that only decodes and encodes. */
@NullMarked
package io.malob.bench.codec;

import org.jspecify.annotations.NullMarked;
