/// The device-key step of a session. It reads and changes the key together with the session (client protocol 4.10).
extension SessionChange {
    /// Input of the device step beside the session.
    package struct DeviceContext: Sendable {
        package let rules: Rules
        /// 32 random bytes, in case another challenge is needed.
        package let nextChallenge: [UInt8]
    }

    /// Checks the client's proof; `nil` stands for a proof with a bad form or signature. The challenge is used up in
    /// any case.
    /// - Returns: `.deviceProofInvalid` and `.deviceNumberMismatch` as outcomes.
    package mutating func provedDevice(
        _ proof: DeviceProof?, by credential: Session.Binding, context: DeviceContext, at now: Timestamp
    ) throws(StepRefusal) -> StepOutcome {
        switch session.phase {
        case .active(.device): break
        case .done: throw .sessionDone
        default: throw .invalidState
        }
        guard let proof, answersChallenge(proof, credential, at: now) else {
            session.record(.deviceProofRefused, at: now)
            // Over the limit a bad proof ends the step. A good proof always passes: a signature cannot be guessed, and
            // strangers must not lock out the holder of the key.
            if mayProveAgain(at: now, limits: context.rules.limits) {
                challengeAgain(context, at: now)
            } else {
                session.moveOn(past: .device, at: now)
            }
            return .refused(.deviceProofInvalid)
        }
        return take(proof, context: context, at: now)
    }

    private mutating func take(_ proof: DeviceProof, context: DeviceContext, at now: Timestamp) -> StepOutcome {
        let known = deviceKey?.thumbprint == proof.thumbprint ? deviceKey : nil
        if let reason = known?.retirement(at: now, after: context.rules.limits.deviceKeyInactivity) {
            session.device.retired = reason
            session.record(.deviceKeyRetired, at: now, detail: reason.rawValue)
            challengeAgain(context, at: now)
        } else if let wanted = session.request.options.deviceID, wanted != known?.id {
            // The backend named another key. This one is ignored, and the other checks run (client protocol 4.10).
            session.device.state = .absent
            session.record(.deviceKeyIgnored, at: now)
            session.moveOn(past: .device, at: now)
        } else if let key = known, !session.request.options.rebind {
            if let claimed = session.currentNumber, claimed != key.number {
                _ = mayProveAgain(at: now, limits: context.rules.limits)
                session.device.state = .mismatch(key.id)
                session.record(.deviceNumberMismatch, at: now)
                session.fail(at: now, detail: "device_number_mismatch")
                return .refused(.deviceNumberMismatch)
            }
            if session.request.policy.isOverdue(boundAt: key.boundAt, at: now) {
                hold(proof, at: now)
            } else {
                recognize(key, at: now, rules: context.rules)
            }
        } else {
            hold(proof, at: now)
        }
        return .taken
    }

    /// Counts a failed proof for the session's number; `false` once there are too many.
    private mutating func mayProveAgain(at now: Timestamp, limits: Limits) -> Bool {
        guard let over = limits.overSessions(of: session.clientID), let number = session.currentNumber else {
            return true
        }
        let key = LimitKey(.failedDeviceProofs, number, of: session.clientID)
        guard admits(key, number, by: over, at: now) else { return false }
        tallies.countFailure([key], by: over, at: now)
        return true
    }

    private mutating func recognize(_ key: DeviceKey, at now: Timestamp, rules: Rules) {
        session.device.state = .recognized(key.id)
        deviceKey?.lastUsedAt = now
        session.record(.deviceKeyRecognized, at: now)
        session.succeed(by: .deviceKey, .number(key.number), at: now, rules: rules)
        guard session.proof != nil else { return }
        session.deviceID = key.id
        if let holder = session.request.keyHolder, holder.isKept { deviceKey?.clientHumanID = holder.id }
        session.keyFinding = session.request.finding(of: deviceKey ?? key)
    }

    private func answersChallenge(_ proof: DeviceProof, _ credential: Session.Binding, at now: Timestamp) -> Bool {
        let sessionKey: Thumbprint? = if case .key(let thumbprint) = credential { thumbprint } else { nil }
        return proof.authID == session.authID && proof.sessionKey == sessionKey
            && session.device.accepts(proof.challenge, at: now)
    }

    private mutating func hold(_ proof: DeviceProof, at now: Timestamp) {
        session.device.state = .pending(
            DeviceCheck.PendingKey(thumbprint: proof.thumbprint, publicKey: proof.publicKey))
        session.record(.deviceKeyPending, at: now)
        session.moveOn(past: .device, at: now)
    }

    private mutating func challengeAgain(_ context: DeviceContext, at now: Timestamp) {
        let lifetime = context.rules.limits.deviceChallengeLifetime
        if session.device.challenge(context.nextChallenge, at: now, lifetime: lifetime) {
            session.record(.deviceChallenged, at: now)
        } else {
            session.moveOn(past: .device, at: now)
        }
    }

    /// Binds a pending key to the number that the session has just proven. Called only in the transaction that proves
    /// it. `freshDeviceID` is for a key that has no id yet. A key that was bound to another number meanwhile stays with
    /// that number, unless the backend requested a rebind.
    package mutating func bindPendingKey(freshDeviceID: DeviceID, at now: Timestamp) {
        guard let proof = session.proof, case .pending(let pending) = session.device.state else { return }
        // A completion without any check proves nothing about a device (contract section 8).
        guard proof.method != .assumed, session.request.flow != .desktop else { return }
        // A key can only be bound to a number.
        guard let number = proof.number else { return }
        let references = session.request.references
        precondition(
            deviceKey == nil || deviceKey?.thumbprint == pending.thumbprint, "the key loaded is the one that is pending"
        )
        var key =
            deviceKey
            ?? DeviceKey(
                id: freshDeviceID, clientID: session.clientID, thumbprint: pending.thumbprint,
                publicKey: pending.publicKey, platform: session.declaration?.platform ?? .web, createdAt: now,
                number: number, status: .active, boundAt: now, lastUsedAt: now)
        // The key was retired while this session was open. An older session must not reactivate it.
        guard key.status == .active, key.number == number || session.request.options.rebind else { return }
        key.number = number
        key.boundAt = now
        key.lastUsedAt = now
        key.clientCustomerID = references.clientCustomerID ?? key.clientCustomerID
        key.clientHumanID = references.clientHumanID ?? key.clientHumanID
        deviceKey = key
        session.deviceID = key.id
        session.keyFinding = session.request.finding(of: key)
        session.device.state = .recognized(key.id)
        session.record(.deviceKeyBound, at: now)
    }
}
