/// A published test user: the number picks the scenario (Prove section 12). Users are data, read from a file at start.
package struct SandboxUser: Sendable, Equatable {
    package enum Region: String, Sendable { case northAmerica = "NA", international = "Intl" }
    package enum CodeOutcome: String, Sendable { case pass, fail }
    package enum MobileAuthOutcome: String, Sendable, CaseIterable {
        case match, mismatch, unavailable, timeout, `operatorError` = "operator-error"
    }
    package enum ReputationOutcome: String, Sendable { case pass, fail }

    /// As published: ten digits in North America, else `+` and all digits.
    package let digits: String
    package let number: PhoneNumber
    package let name: String
    package let region: Region
    /// `pass`: the published code passes. `fail`: no code does.
    package let otp: CodeOutcome
    package let mobileAuth: MobileAuthOutcome
    package let reputation: ReputationOutcome
    /// Passes at once, without any client ("short-term").
    package let withoutClient: Bool
    /// What the user is for, in words.
    package let note: String

    package init(
        digits: String, number: PhoneNumber, name: String, region: Region, otp: CodeOutcome = .pass,
        mobileAuth: MobileAuthOutcome = .unavailable, reputation: ReputationOutcome = .pass,
        withoutClient: Bool = false, note: String = ""
    ) {
        self.digits = digits
        self.number = number
        self.name = name
        self.region = region
        self.otp = otp
        self.mobileAuth = mobileAuth
        self.reputation = reputation
        self.withoutClient = withoutClient
        self.note = note
    }

    /// The code of a sandbox user: the first digits of 123456 (contract section 8).
    package static func code(length: Int) -> OTP? {
        OTP(String("1234567890".prefix(length)))
    }
}

/// All sandbox users, found by the digits a caller sends.
package struct SandboxUsers: Sendable {
    package let all: [SandboxUser]
    private let byDigits: [String: Int]
    private let byNumber: [PhoneNumber: Int]

    /// A later user with the same digits replaces an earlier one.
    package init(_ users: [SandboxUser]) {
        var byDigits: [String: Int] = [:]
        var byNumber: [PhoneNumber: Int] = [:]
        for (index, user) in users.enumerated() {
            byNumber[user.number] = index
            switch user.region {
            case .international:
                byDigits[user.digits] = index
            case .northAmerica:
                // `2001004014`, `12001004014` and `+12001004014` are one user.
                for prefix in ["", "1", "+1"] { byDigits[prefix + user.digits] = index }
            }
        }
        all = users
        self.byDigits = byDigits
        self.byNumber = byNumber
    }

    package func user(sentAs digits: String) -> SandboxUser? {
        byDigits[digits].map { all[$0] }
    }

    package func user(_ number: PhoneNumber) -> SandboxUser? {
        byNumber[number].map { all[$0] }
    }
}
