/// Decides which code is sent to a number or an address, and which codes pass for it.
package protocol CodeSource: Sendable {
    /// - Parameters:
    ///   - drawn: uniform, of the session's code length.
    ///   - own: a code that the backend made. It is used before any other.
    /// - Returns: the code for the message, and whether it passes.
    func code(for target: Target, drawn: OTP, own: OTP?) -> (shown: OTP, passes: Bool)

    /// The code to compare with the stored one.
    /// - Parameter length: the session's code length.
    func awaited(_ submitted: OTP, of target: Target, length: Int) -> OTP
}

/// Uses the backend's own code, else the random code. Every code passes.
package struct DrawnCodes: CodeSource {
    package init() {}
    package func code(for target: Target, drawn: OTP, own: OTP?) -> (shown: OTP, passes: Bool) { (own ?? drawn, true) }
    package func awaited(_ submitted: OTP, of target: Target, length: Int) -> OTP { submitted }
}
