// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.audit;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.FilePath;
import dev.writ.core.policy.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One thing that happened, never changed. This is the whole vocabulary; docs/events.md has it as
/// others read it. No event holds the value of a secret.
public sealed interface AuditEvent {
    Instant at();

    SessionId session();

    /// A session was opened. Written before its program starts.
    ///
    /// @param policy the digest of the policy
    /// @param source where the policy came from
    /// @param command the words the program is given
    /// @param folder where it starts
    record Opened(
            Instant at,
            SessionId session,
            String policy,
            String source,
            List<String> command,
            FilePath folder,
            String backend,
            Posture posture)
            implements AuditEvent {
        public Opened {
            command = List.copyOf(command);
        }
    }

    /// A session was closed: nothing of it runs any more.
    ///
    /// @param exitCode what its program, or Writ in its place, answered; of no meaning if nobody
    /// saw the end
    record Closed(Instant at, SessionId session, int exitCode, Ending ending, Counts counts)
            implements AuditEvent {}

    /// How a session ended.
    enum Ending {
        /// The program ended by itself, without an error.
        COMPLETED,
        /// The program ended by itself, and said that something went wrong.
        FAILED,
        /// The program was ended: by a limit, a signal or the operator.
        KILLED,
        /// Nobody saw the end, because Writ itself was ended. Written by who finds out.
        INCOMPLETE;

        /// The word for it in output.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// How much happened in a session.
    ///
    /// @param permitted verdicts that let something happen
    /// @param refused verdicts that did not
    /// @param asked questions to the operator, whoever answered them
    /// @param processes programs and their copies that were started
    record Counts(long permitted, long refused, long asked, long processes) {}

    /// An action was judged. Written before the action can have any effect.
    ///
    /// @param permitted whether it may happen
    /// @param rule which decided; empty if none did
    /// @param code why, for programs: stable
    /// @param reason why, for people
    record Judged(
            Instant at,
            SessionId session,
            Action action,
            boolean permitted,
            Optional<Rule> rule,
            String code,
            String reason)
            implements AuditEvent {}

    /// The policy leaves an action to the operator. Written before anybody is asked, so that a
    /// question which nobody lived to answer shows.
    record Asked(Instant at, SessionId session, Action action, Rule rule) implements AuditEvent {}

    /// The question was answered, or nobody was there to answer it.
    ///
    /// @param by who answered, or why nobody did
    /// @param term for how long the answer holds
    record Answered(
            Instant at,
            SessionId session,
            Action action,
            Rule rule,
            Answer answer,
            String by,
            Term term)
            implements AuditEvent {}

    /// What was said to a question.
    enum Answer {
        APPROVED,
        REFUSED,
        /// Nothing, which is a refusal.
        NONE;

        /// The word for it in output.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// For how long an answer holds.
    enum Term {
        ONCE,
        SESSION,
        ALWAYS;

        /// The word for it in output.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// A process began to run a program.
    ///
    /// @param parent the process that made it; 0 for the first
    /// @param command the words it was started with
    record ProcessStarted(
            Instant at,
            SessionId session,
            int process,
            int parent,
            FilePath program,
            List<String> command)
            implements AuditEvent {
        public ProcessStarted {
            command = List.copyOf(command);
        }
    }

    /// A process ended.
    ///
    /// @param exitCode its own, or 128 and the signal that ended it
    record ProcessExited(Instant at, SessionId session, int process, int exitCode)
            implements AuditEvent {}

    /// A limit was reached. Written the first time, and at the end if it was more than once.
    ///
    /// @param ended whether everything in the sandbox was ended for it
    /// @param times how often so far
    record LimitReached(Instant at, SessionId session, Rule rule, boolean ended, long times)
            implements AuditEvent {}

    /// A guarantee that this machine cannot give was done without.
    ///
    /// @param guarantee what `--accept-weaker` calls it
    /// @param what is not guaranteed
    /// @param by who accepted that
    record WeakerAccepted(Instant at, SessionId session, String guarantee, String what, String by)
            implements AuditEvent {}

    /// A session was opened with a token, which bounds it. One for each of its blocks.
    ///
    /// @param token the SHA-256 of what was signed, never the token itself
    /// @param holder whose it is: a public key
    record TokenUsed(Instant at, SessionId session, String token, String holder)
            implements AuditEvent {}

    /// A token holds no more: it was revoked, or is over. What ran with it was ended.
    ///
    /// @param token as above; what was revoked can be a holder's key as well
    record TokenRevoked(Instant at, SessionId session, String token, String why)
            implements AuditEvent {}

    /// Something was sent out and answered.
    ///
    /// @param method empty where nothing but bytes went through
    /// @param path with its query; empty as above
    /// @param status of the answer; 0 if there was none
    /// @param up bytes that left
    /// @param down bytes that came back
    /// @param secret the name of the secret that was put in; empty if none was
    record Egress(
            Instant at,
            SessionId session,
            String scheme,
            String host,
            int port,
            String method,
            String path,
            int status,
            long up,
            long down,
            Duration took,
            String secret)
            implements AuditEvent {}

    /// A file was written, and is now this.
    ///
    /// @param sha256 of its contents, as 64 hexadecimal digits; empty if it is not known
    record FileWritten(Instant at, SessionId session, FilePath path, long size, String sha256)
            implements AuditEvent {}

    /// The head of a session's log was written down in the log of the installation, so that it
    /// shows if the session is removed or cut.
    ///
    /// @param checkpoint the whole signed note
    record Anchored(Instant at, SessionId session, String checkpoint) implements AuditEvent {}
}
