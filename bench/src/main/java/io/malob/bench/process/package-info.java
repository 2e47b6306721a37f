/** What is measured, as a process: started, configured, watched and ended. */
@NullMarked
package io.malob.bench.process;

import org.jspecify.annotations.NullMarked;
