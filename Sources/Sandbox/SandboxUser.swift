package import Possession

/// A published test user: the number picks the scenario (Prove section 12). Users are data, read from a file at start; a
/// reference, because every request looks at one or two and changes none.
package final class SandboxUser: Sendable {
    package enum Region: String, Sendable { case northAmerica = "NA", international = "Intl" }
    package enum CodeOutcome: String, Sendable { case pass, fail }
    package enum MobileAuthOutcome: String, Sendable, CaseIterable {
        case match, mismatch, unavailable, timeout, `operatorError` = "operator-error"
    }
    package enum ReputationOutcome: String, Sendable { case pass, fail }
    /// The course of an instant link that was sent to the user.
    package enum LinkBehaviour: String, Sendable, CaseIterable {
        /// The person who opens the link decides.
        case open
        /// The simulated person approves as soon as the message arrives, or denies.
        case approve, deny
        /// An approval fails, because it comes from another phone.
        case mismatch
    }

    /// As published: ten digits in North America, else `+` and all digits.
    package let digits: String
    package let number: PhoneNumber
    /// Codes by e-mail go there, by the same script.
    package let emailAddress: EmailAddress?
    /// Data by which the user is found (`PersonFinder`); `nil`: nobody is found so.
    package let credentials: Identification?
    /// Codes go to the e-mail address of a user who is found by credentials.
    package let isReachedByEmail: Bool
    package let name: String
    package let region: Region
    /// `pass`: the user's codes pass. `fail`: no code does.
    package let otp: CodeOutcome
    /// The codes that pass; empty, or none of the length in use: the first digits of 1234567890.
    package let codes: [OTP]
    package let delivery: SandboxDelivery
    /// How much later a message arrives, by the sandbox clock.
    package let deliveryDelaySeconds: Int
    package let mobileAuth: MobileAuthOutcome
    /// The standing that a session with `checkReputation` learns, reasons sorted by code.
    package let standing: Reputation
    /// The answer to questions about the user's SIM.
    package let simSwap: SandboxSIM
    package let link: LinkBehaviour
    /// Passes at once, without any client ("short-term").
    package let withoutClient: Bool
    package let product: SandboxProduct
    /// The result of verifications of the user; `nil`: the data of the user's person decide.
    package let verification: ScriptedVerification?
    /// The purpose of the user, in words.
    package let note: String

    /// - Parameter reputationReasons: for a reputation that fails; none are the default one (Prove section 9).
    package init(
        digits: String, number: PhoneNumber, emailAddress: EmailAddress? = nil, credentials: Identification? = nil,
        isReachedByEmail: Bool = false, name: String, region: Region,
        otp: CodeOutcome = .pass, codes: [OTP] = [], delivery: SandboxDelivery = .ok, deliveryDelaySeconds: Int = 0,
        mobileAuth: MobileAuthOutcome = .unavailable, reputation: ReputationOutcome = .pass,
        reputationReasons: [Reputation.Reason] = [],
        simSwap: SandboxSIM = .told(hoursAgo: nil, monitoredDays: nil), link: LinkBehaviour = .open,
        withoutClient: Bool = false,
        product: SandboxProduct = .unify, note: String = "", verification: ScriptedVerification? = nil
    ) {
        self.digits = digits
        self.number = number
        self.emailAddress = emailAddress
        self.credentials = credentials
        self.isReachedByEmail = isReachedByEmail && emailAddress != nil
        self.name = name
        self.region = region
        self.otp = otp
        self.codes = codes
        self.delivery = delivery
        self.deliveryDelaySeconds = deliveryDelaySeconds
        self.mobileAuth = mobileAuth
        switch reputation {
        case .pass: standing = Reputation()
        case .fail:
            let reasons = reputationReasons.isEmpty ? [SandboxUser.lowSIMTrust] : reputationReasons
            standing = Reputation(failureReasons: reasons.sorted { $0.code < $1.code })
        }
        self.simSwap = simSwap
        self.link = link
        self.withoutClient = withoutClient
        self.product = product
        self.note = note
        self.verification = verification
    }

    /// The reason for a number with a bad standing whose script names no reason (Prove section 9).
    package static let lowSIMTrust = Reputation.Reason(code: "9133", text: "low SIM trust score")

    package var reputation: ReputationOutcome { standing.passes ? .pass : .fail }

    /// The code the user is sent (contract section 8), whether or not it passes.
    ///
    /// - Parameter length: 4 to 10 digits.
    package func shownCode(length: Int) -> OTP {
        if let code = codes.first(where: { $0.text.utf8.count == length }) { return code }
        guard let code = OTP(String("1234567890".prefix(length))) else {
            preconditionFailure("an OTP has 4 to 10 digits")
        }
        return code
    }

    /// Whether the user's script lets a code pass; any of several codes of its length does.
    package func passes(_ code: OTP) -> Bool {
        switch otp {
        case .pass: codes.contains(code) || code == shownCode(length: code.text.utf8.count)
        case .fail: false
        }
    }
}
