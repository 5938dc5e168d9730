/// One line of a session's timeline: what happened and when. It never has a code, a token or a full number.
package struct SessionEvent: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case created
        case redeemed
        case secondKeyRefused = "second_key_refused"
        case deviceChallenged = "device_challenged"
        case deviceProofRefused = "device_proof_refused"
        case deviceKeyRetired = "device_key_retired"
        case deviceKeyIgnored = "device_key_ignored"
        case deviceKeyPending = "device_key_pending"
        case deviceKeyRecognized = "device_key_recognized"
        case deviceNumberMismatch = "device_number_mismatch"
        case deviceKeyBound = "device_key_bound"
        case otpSent = "otp_sent"
        case otpSendFailed = "otp_send_failed"
        case otpMismatch = "otp_mismatch"
        case otpExpired = "otp_expired"
        case otpPassed = "otp_passed"
        case mobileAuthBegun = "mobile_auth_begun"
        case mobileAuthSentToOperator = "mobile_auth_sent_to_operator"
        case mobileAuthAnswered = "mobile_auth_answered"
        case fingerprintRefused = "fingerprint_refused"
        case mobileAuthPassed = "mobile_auth_passed"
        case mobileAuthFailed = "mobile_auth_failed"
        case messageDelivered = "message_delivered"
        case messageUndelivered = "message_undelivered"
        case messageExpired = "message_expired"
        /// The gateway sent no receipt in time.
        case messageUnconfirmed = "message_unconfirmed"
        /// A limit refused a message.
        case sendRefused = "send_refused"
        case linkSent = "link_sent"
        case linkSendFailed = "link_send_failed"
        case linkExpired = "link_expired"
        case linkTapped = "link_tapped"
        case linkApproved = "link_approved"
        case linkApprovalRefused = "link_approval_refused"
        case linkDenied = "link_denied"
        case reputationFailed = "reputation_failed"
        case reputationUnknown = "reputation_unknown"
        case possessionRequired = "possession_required"
        case bindRefused = "bind_refused"
        case numberValidated = "number_validated"
        case numberRefused = "number_refused"
        case challengePassed = "challenge_passed"
        case challengeRefused = "challenge_refused"
        case identityConfirmed = "identity_confirmed"
        case identityRefused = "identity_refused"
        case succeeded
        case failed
        case cancelled
        case expired

        /// Whether a client can cause the event any number of times without progress. Sends are included, because a
        /// message that the carrier refuses is not counted.
        var isRepeatable: Bool {
            switch self {
            case .secondKeyRefused, .fingerprintRefused, .otpSent, .otpSendFailed, .otpExpired, .linkSent,
                .linkSendFailed, .linkTapped:
                true
            default: false
            }
        }

        /// Whether the event changes the state that clients see. A redeem by another key and a receipt do not. A
        /// message that is sent after a receipt is a separate event.
        var isSeenByClients: Bool {
            switch self {
            case .secondKeyRefused, .messageDelivered, .messageUndelivered, .messageExpired, .messageUnconfirmed,
                .sendRefused, .linkTapped:
                false
            default: true
            }
        }
    }

    package let kind: Kind
    package let at: Timestamp
    /// A word of a fixed vocabulary, a masked number, or a gateway's name and its carrier's code. For a refusal: the
    /// name of a limit and the seconds for which it holds (`refusal`).
    package let detail: String?

    /// Channel of the message, if it was sent by one channel only.
    package var channel: OutgoingMessage.Channel? {
        guard kind == .otpSent, let word = detail?.utf8.split(separator: UInt8(ascii: " ")).last else { return nil }
        return OutgoingMessage.Channel.allCases.first { word.elementsEqual($0.rawValue.utf8) }
    }

    /// The limit that refused the message, and until when, as counted at that time; `nil`: until another check passes.
    package var refusal: (limit: LimitName, until: Timestamp?)? {
        guard kind == .sendRefused, let parts = detail?.utf8.split(separator: UInt8(ascii: " ")),
            let limit = LimitName.allCases.first(where: { parts.first?.elementsEqual($0.rawValue.utf8) == true })
        else { return nil }
        let seconds = parts.count == 2 ? Int64(String(decoding: parts[1], as: UTF8.self)) : nil
        return (limit, seconds.map { at.adding(.seconds($0)) })
    }

    package init(_ kind: Kind, at: Timestamp, detail: String? = nil) {
        self.kind = kind
        self.at = at
        self.detail = detail
    }
}
