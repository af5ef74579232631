// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.TokenBounds;
import dev.writ.trust.biscuit.Signer;
import dev.writ.trust.token.Possession;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import dev.writ.trust.token.VerifiedToken;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The token that a session is opened with: it is good, its holder has shown that it is theirs, and
/// from then on it belongs to this session. What it permits is part of the session's policy.
public final class SessionToken {
    private final VerifiedToken token;
    private final SessionId session;
    private final Policy policy;
    private final InstantSource clock;

    private SessionToken(
            VerifiedToken token, SessionId session, Policy policy, InstantSource clock) {
        this.token = token;
        this.session = session;
        this.policy = policy;
        this.clock = clock;
    }

    /// What a holder signs to show that a token is theirs: good for one session, and once.
    public record Challenge(SessionId session, byte[] nonce) {
        /// For a session that is to be opened.
        public static Challenge of(SessionId session) {
            byte[] nonce = new byte[Possession.NONCE_LENGTH];
            new SecureRandom().nextBytes(nonce);
            return new Challenge(session, nonce);
        }

        /// The answer of whoever has the key of the token's holder.
        public byte[] prove(Token token, Signer holder) {
            return Possession.prove(token, nonce, channel(), holder);
        }

        private byte[] channel() {
            return session.value().getBytes(UTF_8);
        }
    }

    /// Takes a token for the session of `challenge`, which is to be opened.
    ///
    /// @param proof the holder's answer to the challenge
    /// @param policy the operator's, which holds as well
    /// @throws TokenException if it is good for nothing, or not the holder's
    public static SessionToken present(
            Token token,
            Challenge challenge,
            byte[] proof,
            TokenVerifier verifier,
            Policy policy,
            InstantSource clock) {
        var session = challenge.session();
        var use = Use.at(clock.instant()).in(session.value());
        var verified =
                switch (verifier.verify(token, use)) {
                    case Verification.Good(var good) -> good;
                    case Verification.Refused(var reason) -> throw new TokenException(reason);
                };
        if (verified.single().isPresent()) {
            throw new TokenException("the token is for one use, not for a session");
        }
        if (!Possession.isProven(verified, challenge.nonce(), challenge.channel(), proof)) {
            throw new TokenException(
                    "the token was given to "
                            + verified.grants().getLast().who()
                            + ", and this is another key");
        }
        return new SessionToken(verified, session, TokenBounds.narrow(policy, verified), clock);
    }

    public SessionId session() {
        return session;
    }

    /// What the operator's policy and every block of the token permit.
    public Policy policy() {
        return policy;
    }

    /// Who gave it to whom, as people are told.
    public String lineage() {
        return token.lineage();
    }

    /// Why it holds no more; empty if it does.
    Optional<String> ended() {
        return token.ended(Use.at(clock.instant()).in(session.value()));
    }

    /// For the record: every block, and who holds it.
    List<AuditEvent> used(Instant at) {
        var events = new ArrayList<AuditEvent>();
        for (int i = 0; i < token.ids().size(); i++) {
            var holder = token.grants().get(i).holder();
            events.add(
                    new AuditEvent.TokenUsed(at, session, token.ids().get(i), holder.toString()));
        }
        return events;
    }

    /// For the record: from now on it holds no more.
    AuditEvent revoked(String why) {
        return new AuditEvent.TokenRevoked(clock.instant(), session, token.ids().getLast(), why);
    }
}
