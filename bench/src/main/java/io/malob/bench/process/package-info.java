/** The measured process: started, configured, watched and stopped. */
@NullMarked
package io.malob.bench.process;

import org.jspecify.annotations.NullMarked;
