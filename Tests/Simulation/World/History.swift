internal import StrictJSON

/// Calls about one session, with their times and answers.
final class History {
    enum Call: Hashable {
        case start
        case sendFirst
        case resend(requestID: String)
        case verify(code: String, requestID: String)
        /// The holder of the phone answers a link.
        case decide(link: String, approves: Bool)
        case cancel
        case read
        /// The backend asks for the result.
        case status
    }

    /// A session as an answer shows it.
    struct View: Hashable {
        var outcome: String?
        var sendsLeft: Int?
        var attemptsLeft: Int?
    }

    enum Told: Hashable {
        /// No answer, or one that leaves open whether the call was carried out.
        case nothing
        case done(View)
        case refused(String, View?)
        /// For `status`: `true`, `false` or `pending`; for `decide`: the result in the browser's redirect.
        case success(String)
    }

    struct Operation: TimedOperation {
        let call: Call
        let began: UInt64
        var ended = UInt64.max
        var told = Told.nothing
    }

    let correlationID: String
    let authID: String
    let tries: Int
    /// Proved by a link instead of a code.
    let isLink: Bool
    let number: String
    let began: UInt64
    let beganAtWall: Int64
    /// An erasure of its number was ordered.
    var mayBeErased = false
    private(set) var operations: [Operation] = []
    /// The latest revision that anybody was told, and the final outcome.
    private var revision: Int64 = 0
    private var final: String?
    private(set) var endedAt: UInt64?
    private(set) var acknowledgedSends: Set<String> = []
    /// The carrier refused a message: its send was given back, which takes two steps.
    private(set) var hadRefusals = false

    init(correlationID: String, authID: String, number: String, tries: Int, isLink: Bool) {
        self.isLink = isLink
        self.number = number
        self.correlationID = correlationID
        self.authID = authID
        self.tries = tries
        began = Sim.now
        beganAtWall = Sim.wallMilliseconds
    }

    func begin(_ call: Call) -> Int {
        operations.append(Operation(call: call, began: Sim.now))
        return operations.count - 1
    }

    /// Takes note of an answer, and of what it says against earlier ones.
    func end(_ index: Int, _ answer: Answer, _ promises: Promises, _ carrier: Carrier) {
        operations[index].ended = Sim.now
        guard let reply = answer.reply, reply.status < 500, reply.status != 429 else {
            // It may still be carried out.
            operations[index].ended = .max
            return
        }
        let operation = operations[index]
        if case .status = operation.call {
            operations[index].told = reply.json["success"]?.string.map { .success($0) } ?? .nothing
            return
        }
        if case .decide = operation.call {
            let isTrue = reply.location?.contains("asc=true") == true
            let isFalse = reply.location?.contains("asc=false") == true
            operations[index].told =
                isTrue ? .success("true") : isFalse ? .success("false") : .refused("\(reply.status)", nil)
            return
        }
        let state = reply.state
        let view = state.map(History.view)
        if reply.status < 300, let view {
            operations[index].told = .done(view)
        } else {
            operations[index].told = .refused(reply.error ?? "\(reply.status)", view)
            if reply.error == "message_failed" { hadRefusals = true }
        }
        if let state { compare(operation, state, promises) }
        guard reply.status < 300 else { return }
        switch operation.call {
        case .sendFirst: sent("first", index, promises, carrier)
        case .resend(let id): sent(id, index, promises, carrier)
        default: break
        }
    }

    /// A send that was acknowledged has been handed to the carrier. One that was asked for again may have been kept by a
    /// process that has ended: it goes out soon.
    private func sent(_ id: String, _ index: Int, _ promises: Promises, _ carrier: Carrier) {
        acknowledgedSends.insert(id)
        let call = operations[index].call
        guard !operations[..<index].contains(where: { $0.call == call }) else {
            areSendsOwed = true
            return
        }
        guard !areSendsOwed else { return }
        let handed = carrier.messages(of: correlationID).count
        promises.require(
            handed >= acknowledgedSends.count,
            "a message that was acknowledged was handed to the carrier (\(correlationID): \(handed) of \(acknowledgedSends.count))"
        )
    }

    private static func view(_ state: JSONObject) -> View {
        let otp = state["otp"]?.object ?? state["link"]?.object
        return View(
            outcome: state["outcome"]?.string, sendsLeft: (otp?["sendsLeft"]?.integer).map { Int($0) },
            attemptsLeft: (otp?["attemptsLeft"]?.integer).map { Int($0) })
    }

    /// Acknowledged changes stay: revisions only grow, and an outcome is final.
    private func compare(_ operation: Operation, _ state: JSONObject, _ promises: Promises) {
        guard let shown = state["rev"]?.integer else { return }
        let isRepeated: Bool
        switch operation.call {
        case .resend, .verify, .start: isRepeated = true
        case .sendFirst, .cancel, .read, .status, .decide: isRepeated = false
        }
        // An answer that was kept shows the session as it was.
        if !isRepeated, operation.began > revisionToldAt {
            promises.require(
                shown >= revision, "what was acknowledged stays (\(correlationID): revision \(shown) after \(revision))"
            )
        }
        let outcome = state["outcome"]?.string
        if !isRepeated, let final, operation.began > finalToldAt {
            promises.require(
                outcome == final, "an outcome is final (\(correlationID): \(outcome ?? "none") after \(final))")
        }
        if shown > revision {
            revision = shown
            revisionToldAt = Sim.now
        }
        if final == nil, let outcome {
            final = outcome
            finalToldAt = Sim.now
            endedAt = Sim.now
        }
    }

    private var areSendsOwed = false
    private var revisionToldAt: UInt64 = 0
    private var finalToldAt: UInt64 = 0
    var outcome: String? { final }
}
