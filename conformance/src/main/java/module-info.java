// SPDX-License-Identifier: Apache-2.0

/// The attacks: containment cases as data, their runner, and what is behind `writ probe`.
module dev.writ.conformance {
    requires dev.writ.runtime;
    requires org.snakeyaml.engine;
    requires static transitive org.jspecify;

    exports dev.writ.conformance;

    uses dev.writ.conformance.harness.Harness;

    provides dev.writ.conformance.harness.Harness with
            dev.writ.conformance.harness.NaiveHarness,
            dev.writ.conformance.harness.ProcessHarness;
}
