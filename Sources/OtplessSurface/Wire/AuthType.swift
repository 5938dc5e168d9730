/// How a request is verified, in the vendor's words.
enum AuthType: String, Sendable, CaseIterable {
    case code = "OTP"
    case silent = "SILENT_AUTH"
    case link = "MAGICLINK"
    case codeAndLink = "OTP_LINK"
    /// A provider has said so, which the sandbox plays.
    case provider = "OAUTH"
}
