// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static dev.writ.kernel.Filter.ALLOW;
import static dev.writ.kernel.Filter.Condition.low;

import dev.writ.kernel.Filter.Action;
import dev.writ.kernel.Filter.Rule;
import dev.writ.kernel.Filter.When;
import java.util.ArrayList;

/// The options of prctl(2) inside a sandbox. Those not named here do not exist, as on an older
/// kernel. Missing on purpose are, among others, `PR_SET_MM`, which changes what others see as the
/// program and its arguments, and `PR_SET_SECUREBITS`.
final class Prctl {
    private static final Action PRETEND = new Action.Errno(0);
    private static final Action EINVAL = new Action.Errno(22);

    private static final int PR_SET_DUMPABLE = 4;
    private static final int PR_SET_PTRACER = 0x59616d61;

    /// They concern nobody but the process that asks. The two that runtimes use all the time come
    /// first.
    private static final int[] ALLOWED = {
        15, // PR_SET_NAME
        0x53564d41, // PR_SET_VMA
        1, // PR_SET_PDEATHSIG
        2, // PR_GET_PDEATHSIG
        3, // PR_GET_DUMPABLE
        7, // PR_GET_KEEPCAPS
        8, // PR_SET_KEEPCAPS
        16, // PR_GET_NAME
        21, // PR_GET_SECCOMP
        22, // PR_SET_SECCOMP
        23, // PR_CAPBSET_READ
        24, // PR_CAPBSET_DROP
        25, // PR_GET_TSC
        27, // PR_GET_SECUREBITS
        29, // PR_SET_TIMERSLACK
        30, // PR_GET_TIMERSLACK
        36, // PR_SET_CHILD_SUBREAPER
        37, // PR_GET_CHILD_SUBREAPER
        38, // PR_SET_NO_NEW_PRIVS
        39, // PR_GET_NO_NEW_PRIVS
        40, // PR_GET_TID_ADDRESS
        41, // PR_SET_THP_DISABLE
        42, // PR_GET_THP_DISABLE
        47, // PR_CAP_AMBIENT
        50, // PR_SVE_SET_VL
        51, // PR_SVE_GET_VL
        52, // PR_GET_SPECULATION_CTRL
        54, // PR_PAC_RESET_KEYS
        55, // PR_SET_TAGGED_ADDR_CTRL
        56, // PR_GET_TAGGED_ADDR_CTRL
        60, // PR_PAC_SET_ENABLED_KEYS
        61, // PR_PAC_GET_ENABLED_KEYS
        63, // PR_SME_SET_VL
        64, // PR_SME_GET_VL
        65, // PR_SET_MDWE
        66, // PR_GET_MDWE
        74, // PR_GET_SHADOW_STACK_STATUS
        75, // PR_SET_SHADOW_STACK_STATUS
        76, // PR_LOCK_SHADOW_STACK_STATUS
        78, // PR_FUTEX_HASH
        0x41555856, // PR_GET_AUXV
    };

    private Prctl() {}

    static Rule rule() {
        var whens = new ArrayList<When>();
        for (int option : ALLOWED) {
            whens.add(low(0, option).then(ALLOW));
        }
        // The supervisor must be able to read the process, and nobody else may be let in.
        whens.add(low(0, PR_SET_DUMPABLE).then(PRETEND));
        whens.add(low(0, PR_SET_PTRACER).then(PRETEND));
        return new Rule(whens, EINVAL);
    }
}
