/// What data sources say of a person for the compliance add-on of Identity (Prove 6.4): only test users have it,
/// from the users file, because no source of ours finds it out. Personal data, like the person it is part of.
package struct ComplianceFindings: Sendable, Equatable, CustomStringConvertible {
    package let idv: IdentityVerification?
    package let kyc: KYCFindings?

    /// `nil` when there is neither.
    package init?(idv: IdentityVerification?, kyc: KYCFindings?) {
        guard idv != nil || kyc != nil else { return nil }
        self.idv = idv
        self.kyc = kyc
    }

    package var description: String { "<findings>" }
}
