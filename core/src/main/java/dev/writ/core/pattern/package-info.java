// SPDX-License-Identifier: Apache-2.0

/// Sets of words, and the one matcher for them. A *word* is a list of segments: the parts of a
/// path, a host name, a command line. Capabilities are spelled as patterns over words and actions
/// as words, so paths, hosts, programs and tools share one matcher, one way to compare two
/// capabilities, and one way to find a word on which two policies differ. Nothing here knows what
/// the words mean.
@NullMarked
package dev.writ.core.pattern;

import org.jspecify.annotations.NullMarked;
