/** Finds out what switches can do, and tells the other modules which rules they can hold. */
package io.malob.capability;
