// SPDX-License-Identifier: Apache-2.0
package dev.writ.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.writ.runtime.policy.Profiles;
import java.net.IDN;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// The structure, kept by a machine. Each rule has been broken once on purpose, to see it fail.
class ArchitectureTest {
    private static final JavaClasses WRIT =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dev.writ");

    @Test
    void this_test_sees_the_code() {
        assertThat(WRIT.size()).isGreaterThan(100);
        assertThat(
                        List.of(
                                "core.pattern",
                                "core.capability",
                                "core.policy",
                                "core.broker",
                                "kernel",
                                "conformance.run",
                                "runtime.policy",
                                "cli"))
                .allMatch(
                        p ->
                                WRIT.stream()
                                        .anyMatch(c -> c.getPackageName().equals("dev.writ." + p)));
    }

    @Test
    void the_core_depends_on_the_java_base_module_alone() {
        check(
                classes()
                        .that()
                        .resideInAPackage("dev.writ.core..")
                        .should()
                        .onlyDependOnClassesThat(
                                resideInAnyPackage(
                                        "dev.writ.core..",
                                        "java.lang..",
                                        "java.util..",
                                        "java.io",
                                        "java.net",
                                        "java.nio..",
                                        "java.time..",
                                        "java.security..",
                                        "org.jspecify.annotations")));
    }

    @Test
    void patterns_capabilities_and_policy_touch_no_files_sockets_clocks_or_threads() {
        // The types, not the packages: allowing java.net for IDN would allow sockets.
        var pure =
                resideInAnyPackage(
                                "dev.writ.core..",
                                "java.lang",
                                "java.lang.runtime",
                                "java.lang.invoke",
                                "java.util",
                                "java.util.function",
                                "java.util.stream",
                                "java.nio.charset",
                                "java.security",
                                "org.jspecify.annotations")
                        .or(type(IDN.class))
                        .or(type(ByteBuffer.class))
                        .or(type(CharBuffer.class))
                        .or(type(AtomicReference.class));
        var impure =
                type(Thread.class)
                        .or(type(ProcessBuilder.class))
                        .or(type(Runtime.class))
                        .or(type(System.class));
        check(
                classes()
                        .that()
                        .resideInAnyPackage(
                                "dev.writ.core.pattern",
                                "dev.writ.core.capability",
                                "dev.writ.core.policy")
                        .should()
                        .onlyDependOnClassesThat(pure.and(not(impure))));
    }

    @Test
    void the_core_does_not_read_the_clock_by_itself() {
        check(
                noClasses()
                        .that()
                        .resideInAPackage("dev.writ.core..")
                        .should()
                        .callMethod(Instant.class, "now")
                        .orShould()
                        .callMethod(InstantSource.class, "system"));
    }

    /// What waits counts by a clock that nobody can set. For these the JVM starts a thread that all
    /// of it shares, with the rights of whoever is first: here that may be who acts for a sandbox.
    @Test
    void nobody_who_may_act_for_a_sandbox_has_the_jvm_start_shared_threads() {
        check(
                noClasses()
                        .that()
                        .resideInAnyPackage("dev.writ.backends..", "dev.writ.trust..")
                        .should()
                        .callMethod(
                                CompletableFuture.class,
                                "completeOnTimeout",
                                Object.class,
                                long.class,
                                TimeUnit.class)
                        .orShould()
                        .callMethod(
                                CompletableFuture.class, "orTimeout", long.class, TimeUnit.class)
                        .orShould()
                        .callMethod(CompletableFuture.class, "supplyAsync", Supplier.class)
                        .orShould()
                        .callMethod(CompletableFuture.class, "runAsync", Runnable.class));
    }

    /// What waits counts by a clock that nobody can set.
    @Test
    void only_records_have_to_do_with_the_time_of_day() {
        check(
                noClasses()
                        .that(not(resideInAPackage("dev.writ.conformance..")))
                        .should()
                        .callMethod(System.class, "currentTimeMillis")
                        .orShould()
                        .callMethod(Instant.class, "now"));
    }

    @Test
    void native_code_is_called_from_the_kernel_module_only() {
        check(
                noClasses()
                        .that(not(resideInAPackage("dev.writ.kernel..")))
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("java.lang.foreign.."));
    }

    @Test
    void the_kernel_module_knows_nothing_of_the_rest() {
        check(
                noClasses()
                        .that()
                        .resideInAPackage("dev.writ.kernel..")
                        .should()
                        .dependOnClassesThat(
                                resideInAPackage("dev.writ..")
                                        .and(not(resideInAPackage("dev.writ.kernel..")))));
    }

    @Test
    void there_are_no_package_cycles() {
        check(slices().matching("dev.writ.(**)").should().beFreeOfCycles());
    }

    @Test
    void yaml_is_read_where_policies_and_cases_are() {
        check(
                noClasses()
                        .that(
                                not(
                                        resideInAnyPackage(
                                                "dev.writ.runtime.policy",
                                                "dev.writ.conformance.corpus",
                                                "dev.writ.conformance.launch",
                                                "dev.writ.conformance.run")))
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("org.snakeyaml.."));
    }

    @Test
    void the_environment_is_read_at_the_edge_only() {
        check(
                noClasses()
                        .that(not(resideInAPackage("dev.writ.cli")))
                        .should()
                        .callMethod(System.class, "getenv")
                        .orShould()
                        .callMethod(System.class, "getenv", String.class));
    }

    @Test
    void which_machine_this_is_is_asked_at_the_edge_and_by_the_corpus_only() {
        check(
                noClasses()
                        .that(not(resideInAnyPackage("dev.writ.cli", "dev.writ.conformance..")))
                        // asks the launcher where its own files lie
                        .and(not(type(Profiles.class)))
                        .should()
                        .callMethod(System.class, "getProperty", String.class));
    }

    @Test
    void standard_streams_are_named_in_main_only() {
        check(
                noClasses()
                        .that(not(type(Main.class)))
                        .should()
                        .accessField(System.class, "out")
                        .orShould()
                        .accessField(System.class, "err")
                        .orShould()
                        .accessField(System.class, "in"));
    }

    private static void check(ArchRule rule) {
        rule.check(WRIT);
    }
}
