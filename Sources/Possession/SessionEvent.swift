/// One line of a session's timeline: what happened and when; never a code, a token or a full number.
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
        case possessionRequired = "possession_required"
        case bindRefused = "bind_refused"
        case succeeded
        case failed
        case cancelled
        case expired
    }

    package let kind: Kind
    package let at: Timestamp
    /// A short addition from a fixed vocabulary or a masked number.
    package let detail: String?

    package init(_ kind: Kind, at: Timestamp, detail: String? = nil) {
        self.kind = kind
        self.at = at
        self.detail = detail
    }
}
