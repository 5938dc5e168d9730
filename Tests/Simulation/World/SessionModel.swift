/// How a session behaves when calls come one after another: codes are used once, guesses and sends are counted, and an
/// outcome is final. Written from the contract, without a word of the server's code.
struct SessionModel: Hashable {
    private(set) var code: String?
    /// A code is awaited, whether or not the model knows it.
    private(set) var isWaiting = false
    private(set) var hasExpiredCode = false
    private(set) var attemptsLeft: Int
    private(set) var sendsLeft = 3
    private(set) var outcome: String?
    /// Answers to calls with a request id.
    private var kept: [String: String] = [:]
    private var usedCodes: Set<String> = []

    private let isLink: Bool

    init(tries: Int, isLink: Bool) {
        attemptsLeft = tries
        self.isLink = isLink
    }

    /// All ways in which the next call can go that agree with what its caller was told.
    /// - Parameters:
    ///   - delivered: the codes that arrived at the phone for this session.
    ///   - mayExpire: codes and the session may have outlived their time.
    ///   - mayGiveBack: the server ended before it noted that a message was sent, and the next one found that message too late
    ///     to send. It is given back.
    func after(
        _ operation: History.Operation, delivered: [String], mayExpire: Bool, mayGiveBack: Bool
    ) -> [SessionModel] {
        var befores = [self]
        if mayExpire, outcome == nil {
            var expired = self
            expired.outcome = "expired"
            befores.append(expired)
            if isWaiting {
                var late = self
                late.hasExpiredCode = true
                befores.append(late)
                if mayGiveBack {
                    var unsent = self
                    unsent.isWaiting = false
                    unsent.code = nil
                    unsent.sendsLeft += 1
                    befores.append(unsent)
                }
                if sendsLeft == 0 {
                    var failed = self
                    failed.outcome = "failed"
                    befores.append(failed)
                }
            }
        }
        return befores.flatMap { $0.step(operation, delivered) }
    }

    private func step(_ operation: History.Operation, _ delivered: [String]) -> [SessionModel] {
        // Says nothing of the session, and leaves it as it is.
        if case .refused(let said, _) = operation.told, SessionModel.aside.contains(said) { return [self] }
        switch operation.call {
        case .start, .read: return agrees(with: operation.told, "") ? [self] : []
        case .status:
            guard case .success(let word) = operation.told else { return [self] }
            let expected = outcome == nil ? "pending" : outcome == "succeeded" ? "true" : "false"
            return word == expected ? [self] : []
        case .cancel:
            var next = self
            if outcome == nil { next.outcome = "cancelled" }
            return next.agrees(with: operation.told, "") ? [next] : []
        case .sendFirst:
            if outcome != nil { return agrees(with: operation.told, "session_done") ? [self] : [] }
            if isWaiting || hasExpiredCode { return agrees(with: operation.told, "invalid_state") ? [self] : [] }
            return sent(operation.told, delivered)
        case .resend(let id):
            if let told = kept[id] { return repeats(told, operation.told) ? [self] : [] }
            if outcome != nil { return agrees(with: operation.told, "session_done") ? [self] : [] }
            if !isWaiting && !hasExpiredCode { return agrees(with: operation.told, "invalid_state") ? [self] : [] }
            if sendsLeft == 0 { return agrees(with: operation.told, "sends_exhausted") ? [self] : [] }
            return sent(operation.told, delivered).map {
                var next = $0
                next.kept[id] = ""
                return next
            }
        case .verify(let code, let id): return verified(code, id, operation.told)
        case .decide(let link, let approves): return decided(link, approves, operation.told)
        }
    }

    private func sent(_ told: History.Told, _ delivered: [String]) -> [SessionModel] {
        var codes: [String?] = delivered.filter { !usedCodes.contains($0) }
        // Nobody was told of it, so it may never have arrived.
        if case .nothing = told { codes.append(nil) }
        return codes.compactMap { code in
            var next = self
            next.sendsLeft -= 1
            next.isWaiting = true
            next.hasExpiredCode = false
            next.code = code
            if let code { next.usedCodes.insert(code) }
            return next.agrees(with: told, "") ? next : nil
        }
    }

    private func verified(_ submitted: String, _ id: String, _ told: History.Told) -> [SessionModel] {
        if let before = kept[id] { return repeats(before, told) ? [self] : [] }
        if outcome != nil { return agrees(with: told, "session_done") ? [self] : [] }
        guard isWaiting, !isLink else { return agrees(with: told, "invalid_state") ? [self] : [] }
        var next = self
        let name: String
        if hasExpiredCode {
            name = "otp_expired"
            if sendsLeft == 0 { next.outcome = "failed" }
        } else if submitted == code {
            name = ""
            next.attemptsLeft -= 1
            next.outcome = "succeeded"
        } else {
            name = "otp_mismatch"
            next.attemptsLeft -= 1
            if next.attemptsLeft == 0 { next.outcome = "failed" }
        }
        next.kept[id] = name
        return next.agrees(with: told, name) ? [next] : []
    }

    /// The live link decides once. Afterwards a browser is told what was decided, and a link that was replaced decides
    /// nothing.
    private func decided(_ link: String, _ approves: Bool, _ told: History.Told) -> [SessionModel] {
        // A link of a client that was revoked leads nowhere.
        if case .refused = told { return [self] }
        var next = self
        if outcome == nil {
            guard isWaiting, !hasExpiredCode, link == code else {
                // The browser is told that the session is not complete.
                if case .success("true") = told { return [] }
                return [self]
            }
            next.outcome = approves ? "succeeded" : "failed"
        }
        guard case .success(let word) = told else { return [next] }
        return word == (next.outcome == "succeeded" ? "true" : "false") ? [next] : []
    }

    private func repeats(_ name: String, _ told: History.Told) -> Bool {
        switch told {
        case .nothing, .success: true
        case .done: name.isEmpty
        case .refused(let said, _): said == name
        }
    }

    /// Refusals that say nothing of the session.
    private static let aside: Set<String> = ["rate_limited", "invalid_token"]

    /// Whether the caller was told `name`, empty for a success, and shown the session as it is here.
    private func agrees(with told: History.Told, _ name: String) -> Bool {
        switch told {
        case .nothing: return true
        case .success: return false
        case .done(let view): return name.isEmpty && shows(view)
        case .refused(let said, let view):
            return said == name && view.map(shows) != false
        }
    }

    private func shows(_ view: History.View) -> Bool {
        view.outcome == outcome && (view.sendsLeft ?? sendsLeft) == sendsLeft
            && (view.attemptsLeft ?? attemptsLeft) == attemptsLeft
    }
}
