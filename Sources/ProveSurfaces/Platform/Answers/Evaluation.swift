internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The reasons of a result, by category (Prove section 9).
///
///     {"authentication":{"result":"pass"},"risk":{"result":"fail","failureReasons":{"9133":"low SIM trust score"}}}
struct Evaluation: Sendable {
    let session: Session

    init(_ session: Session) {
        self.session = session
    }

    /// `nil` while the result is open, and if reputation was not requested and no reason is needed.
    var object: JSONObject? {
        guard let outcome = session.outcome, outcome != .possessionRequired else { return nil }
        let wantsReputation = session.request.options.checkReputation
        let isMismatch = if case .mismatch = session.device.state { true } else { false }
        let ipMatch = Self.ipMatch(of: session)
        guard wantsReputation || isMismatch || ipMatch != nil else { return nil }
        var object = JSONObject()
        let hasStanding = outcome == .succeeded || !session.riskReasons.isEmpty
        // A bad standing may have prevented the first message, and with it every check.
        var authentication = hasStanding && session.hadPassedBeforeStanding ? Self.pass : Self.possessionIncomplete
        authentication.set("ipMatch", ipMatch)
        object.set("authentication", authentication)
        if wantsReputation, hasStanding { object.set("risk", risk(outcome)) }
        return object
    }

    /// Whether an instant link was approved from the address that the backend gave as `ipAddress`: `success`,
    /// `failure`, or `indeterminate` if the phone's address is unknown. `nil`: no address was given, or no link was
    /// answered. A person who approves from another network may be answering another person's session.
    static func ipMatch(of session: Session) -> String? {
        guard session.request.subject.ipAddress != nil else { return nil }
        switch session.link.state {
        case .passed, .failed(.addressMismatch), .failed(.phoneMismatch):
            return session.link.addressesAgree.map { $0 ? "success" : "failure" } ?? "indeterminate"
        case .idle, .waiting, .expired, .closed, .failed(.denied), .failed(.wrongMatchCode): return nil
        }
    }

    /// `nil` if the standing is unknown and the operator of this server allows such numbers: reasons are given only for
    /// failures.
    private func risk(_ outcome: Session.Outcome) -> JSONObject? {
        outcome == .succeeded && !session.riskReasons.isEmpty ? nil : Self.verdict(session.riskReasons)
    }

    /// The evaluation of steps that compare a person's data with the record: only `identification`.
    static func object(_ finding: IdentityFinding) -> JSONObject {
        ["identification": .object(verdict(finding.failureReasons.map(\.inFraudPolicy)))]
    }

    static func verdict(_ failureReasons: [Reputation.Reason]) -> JSONObject {
        guard !failureReasons.isEmpty else { return pass }
        var reasons = JSONObject()
        for reason in failureReasons { reasons.set(reason.code, reason.text) }
        var object = JSONObject()
        object.set("result", "fail")
        object.set("failureReasons", reasons)
        return object
    }

    private static let pass: JSONObject = ["result": "pass"]
    /// Also for a key that is bound to another number (Prove 16, no. 13).
    private static let possessionIncomplete: JSONObject = [
        "result": "fail", "failureReasons": ["9100": "possession incomplete"],
    ]
}
