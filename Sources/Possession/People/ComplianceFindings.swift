/// Findings of data sources about a person for a compliance check. Only test users have them, from the users file,
/// because this server has no source for them. Personal data, like the person.
package struct ComplianceFindings: Sendable, Equatable, CustomStringConvertible {
    package let verification: IdentityVerification?
    package let kyc: KYCFindings?

    /// `nil` if both are `nil`.
    package init?(verification: IdentityVerification?, kyc: KYCFindings?) {
        guard verification != nil || kyc != nil else { return nil }
        self.verification = verification
        self.kyc = kyc
    }

    package var description: String { "<findings>" }
}
