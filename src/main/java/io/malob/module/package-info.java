/** What modules of the controller and of its features have in common. */
package io.malob.module;
