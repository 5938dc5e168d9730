/// Findings of data sources about a person for a compliance check: only test users have them,
/// from the users file, because no source of ours finds them out. Personal data, like the person they are part of.
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
