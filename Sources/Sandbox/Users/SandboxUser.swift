package import Possession

/// A published test user: the number selects the scenario (Prove section 12). Users are data, read from a file at
/// start. A class, because every request reads one or two and changes none.
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
        /// The simulated person approves or denies as soon as the message arrives.
        case approve, deny
        /// An approval fails, because it comes from another phone.
        case mismatch
    }

    /// As published: ten digits in North America, otherwise `+` and all digits.
    package let digits: String
    package let number: PhoneNumber
    /// Codes by e-mail are sent there, with the same script.
    package let emailAddress: EmailAddress?
    /// Credentials by which the user is found (`PersonFinder`); `nil`: it cannot be found that way.
    package let credentials: Identification?
    /// Codes are sent to the e-mail address of a user who was found by credentials.
    package let isReachedByEmail: Bool
    package let name: String
    package let region: Region
    /// `pass`: the user's codes pass. `fail`: no code does.
    package let otp: CodeOutcome
    /// The codes that pass; if none has the length in use, the first digits of 1234567890.
    package let codes: [OTP]
    package let delivery: SandboxDelivery
    /// How much later a message arrives, by the sandbox clock.
    package let deliveryDelaySeconds: Int
    package let mobileAuth: MobileAuthOutcome
    /// The standing in a session with `checkReputation`; reasons are sorted by code.
    package let standing: Reputation
    /// The answer to questions about the user's SIM.
    package let simSwap: SandboxSIM
    package let link: LinkBehaviour
    /// Passes at once, without any client ("short-term").
    package let withoutClient: Bool
    package let product: SandboxProduct
    /// The result of verifications of the user; `nil`: the data of the user's person decides.
    package let verification: ScriptedVerification?
    /// The purpose of the user, as text.
    package let note: String

    /// - Parameter reputationReasons: for a reputation that fails; empty: the default reason (Prove section 9).
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

    /// The reason for a number with a bad standing whose script has no reason (Prove section 9).
    package static let lowSIMTrust = Reputation.Reason(code: "9133", text: "low SIM trust score")

    package var reputation: ReputationOutcome { standing.passes ? .pass : .fail }

    /// The code that is sent to the user (contract section 8), whether or not it passes.
    ///
    /// - Parameter length: 4 to 10 digits.
    package func shownCode(length: Int) -> OTP {
        if let code = codes.first(where: { $0.text.utf8.count == length }) { return code }
        guard let code = OTP(String("1234567890".prefix(length))) else {
            preconditionFailure("an OTP has 4 to 10 digits")
        }
        return code
    }

    /// Whether the user's script accepts a code: any of its codes with that length.
    package func passes(_ code: OTP) -> Bool {
        switch otp {
        case .pass: codes.contains(code) || code == shownCode(length: code.text.utf8.count)
        case .fail: false
        }
    }
}
