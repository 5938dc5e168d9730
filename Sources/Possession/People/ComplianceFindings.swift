/// What data sources say of a person for a compliance check: only test users have it,
/// from the users file, because no source of ours finds it out. Personal data, like the person it is part of.
package struct ComplianceFindings: Sendable, Equatable, CustomStringConvertible {
    package let verification: IdentityVerification?
    package let kyc: KYCFindings?

    /// `nil` when there is neither.
    package init?(verification: IdentityVerification?, kyc: KYCFindings?) {
        guard verification != nil || kyc != nil else { return nil }
        self.verification = verification
        self.kyc = kyc
    }

    package var description: String { "<findings>" }
}
