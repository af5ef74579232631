// SPDX-License-Identifier: Apache-2.0

/// HTTP in, wire types, HTTP out: the contract is `api/openapi.yaml`. What is asked for is done
/// elsewhere.
@NullMarked
package dev.writ.daemon.api;

import org.jspecify.annotations.NullMarked;
