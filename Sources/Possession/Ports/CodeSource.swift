/// Which code a number or an address is sent, and which codes pass for it.
package protocol CodeSource: Sendable {
    /// - Parameters:
    ///   - drawn: uniform, of the length in use.
    ///   - own: that the backend has made; it wins over every other.
    /// - Returns: the code that the message shows, and whether it passes.
    func code(for target: Target, drawn: OTP, own: OTP?) -> (shown: OTP, passes: Bool)

    /// The code to compare with the one that was shown.
    /// - Parameter length: of the codes in use.
    func awaited(_ submitted: OTP, of target: Target, length: Int) -> OTP
}

/// The code that was drawn, for everybody.
package struct DrawnCodes: CodeSource {
    package init() {}
    package func code(for target: Target, drawn: OTP, own: OTP?) -> (shown: OTP, passes: Bool) { (own ?? drawn, true) }
    package func awaited(_ submitted: OTP, of target: Target, length: Int) -> OTP { submitted }
}
