internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// The result of checking a signature or a token for a backend, in the words of the vendor's server.
struct JudgedActivation: Sendable {
    private let isGood: Bool
    /// `nil`: the API client has no such activation.
    private let activation: DeviceActivation?
    private let factors: SignatureFactors?

    init(_ judged: DeviceActivations.Judged?, of request: Request) {
        isGood = judged?.isGood ?? false
        activation = judged?.activation
        factors = judged?.factors
        if let id = activation?.id { request.notes?.note(subject: id.text) }
    }

    private var attemptsLeft: Int {
        activation.map { DeviceActivation.mostFailedAttempts - $0.failedAttempts } ?? 0
    }

    /// - Parameters:
    ///   - valid: the name of the member that says whether the signature or token is valid.
    ///   - tellsAttempts: whether the answer says how many failures are left.
    static func reply(
        valid: String, _ about: String, tellsAttempts: Bool, example: StaticString
    ) -> Reply<JudgedActivation> {
        Reply<JudgedActivation>.wrapping(example: example) {
            ReplyMember.always(valid, .flag, about) { $0.isGood }
            ReplyMember.always("activationStatus", .choice(Standing.allCases), "As it is after the call.") {
                Standing($0.activation)
            }
            ReplyMember.whenThere("blockedReason", .choice(BlockedReason.allCases), "Of one that is blocked.") {
                BlockedReason($0.activation)
            }
            ReplyMember.whenThere("activationId", .identifier(), "Of an activation that the API client has.") {
                $0.activation?.id
            }
            ReplyMember.whenThere("userId", .text, "The number or e-mail address that the person has proven.") {
                $0.activation?.target.text
            }
            ReplyMember.whenThere("applicationId", .text, "The API client.") { $0.activation?.clientID.text }
            ReplyMember.whenThere("signatureType", .text, "The factors, in capitals.") { $0.factors?.capitals }
            ReplyMember.whenThere(
                "remainingAttempts", .integer(0...DeviceActivation.mostFailedAttempts),
                "Signatures in a row that may be wrong before the activation is blocked."
            ) { tellsAttempts ? $0.attemptsLeft : nil }
            ReplyMember.always("applicationRoles", .list(of: .text), "Empty.") { _ in [String]() }
            ReplyMember.always("activationFlags", .list(of: .text), "Empty.") { $0.activation?.details.flags ?? [] }
        }
    }

    /// The vendor's words. An unknown activation counts as removed.
    private enum Standing: String, Sendable, CaseIterable {
        case active = "ACTIVE"
        case blocked = "BLOCKED"
        case removed = "REMOVED"

        init(_ activation: DeviceActivation?) {
            switch activation?.standing.status {
            case .active: self = .active
            case .blocked: self = .blocked
            case .removed, nil: self = .removed
            }
        }
    }

    /// The vendor's word for too many failures, and the values of `DeviceActivation.Reason` in capitals.
    private enum BlockedReason: String, Sendable, CaseIterable {
        case failedAttempts = "MAX_FAILED_ATTEMPTS"
        case `operator` = "OPERATOR"
        case client = "CLIENT"
        case restored = "RESTORED"
        case notSpecified = "NOT_SPECIFIED"

        /// `nil`: the activation is not blocked.
        init?(_ activation: DeviceActivation?) {
            guard let activation, activation.standing.status == .blocked else { return nil }
            switch activation.standing.reason {
            case .failedAttempts: self = .failedAttempts
            case .operator: self = .operator
            case .client: self = .client
            case .restored: self = .restored
            case .phone, .unused, nil: self = .notSpecified
            }
        }
    }
}

extension SignatureFactors {
    /// As the vendor's server for backends spells them: `POSSESSION_KNOWLEDGE`.
    var capitals: String {
        String(decoding: rawValue.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
