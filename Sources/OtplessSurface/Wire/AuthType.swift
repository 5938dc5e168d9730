/// The method of a verification, in the vendor's words.
enum AuthType: String, Sendable, CaseIterable {
    case code = "OTP"
    case silent = "SILENT_AUTH"
    case link = "MAGICLINK"
    case codeAndLink = "OTP_LINK"
    /// A provider, which the sandbox plays.
    case provider = "OAUTH"
}
