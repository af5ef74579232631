// SPDX-License-Identifier: Apache-2.0

/// The proxy: where connections come in, what they are used for, where they go.
@NullMarked
package dev.writ.egress;

import org.jspecify.annotations.NullMarked;
