/// Which code is sent to a number or an address, and which codes pass for it.
package struct CodeRules: Sendable {
    package typealias Code = @Sendable (_ target: Target, _ drawn: OTP, _ own: OTP?) -> (shown: OTP, passes: Bool)
    package typealias Awaited = @Sendable (_ submitted: OTP, _ target: Target, _ length: Int) -> OTP

    private let code: Code
    private let awaited: Awaited

    package init(code: @escaping Code, awaited: @escaping Awaited) {
        self.code = code
        self.awaited = awaited
    }

    /// Uses the backend's own code, else the random code. Every code passes.
    package static let random = CodeRules(
        code: { _, drawn, own in (own ?? drawn, true) }, awaited: { submitted, _, _ in submitted })

    /// - Parameters:
    ///   - drawn: uniform, of the session's code length.
    ///   - own: a code that the backend made. It is used before any other.
    /// - Returns: the code for the message, and whether it passes.
    package func code(for target: Target, drawn: OTP, own: OTP?) -> (shown: OTP, passes: Bool) {
        code(target, drawn, own)
    }

    /// The code to compare with the stored one.
    /// - Parameter length: the session's code length.
    package func awaited(_ submitted: OTP, of target: Target, length: Int) -> OTP { awaited(submitted, target, length) }
}
