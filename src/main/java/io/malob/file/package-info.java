/** State files: always whole, with a copy of the last good version, and errors with their place. */
@NullMarked
package io.malob.file;

import org.jspecify.annotations.NullMarked;
