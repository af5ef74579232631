// SPDX-License-Identifier: Apache-2.0
/// Questions put to the host after a probe ran. The answers come from the host, never from the
/// probe's word alone.
@NullMarked
package dev.writ.conformance.oracle;

import org.jspecify.annotations.NullMarked;
