package import Possession

/// The published codes of the sandbox users; everybody else gets the code that was drawn. A code that a backend has made
/// is sent as it is, and passes unless the user's script lets none pass.
package struct ScriptedCodes: CodeSource {
    private let users: SandboxUsers

    package init(_ users: SandboxUsers) {
        self.users = users
    }

    package func code(for target: Target, drawn: OTP, own: OTP?) -> (shown: OTP, passes: Bool) {
        guard let user = users.user(target) else { return (own ?? drawn, true) }
        if let own { return (own, user.otp == .pass) }
        let code = user.shownCode(length: drawn.text.utf8.count)
        return (code, user.passes(code))
    }

    /// Where a user has several codes that pass, each of them stands for the one that was shown.
    package func awaited(_ submitted: OTP, of target: Target, length: Int) -> OTP {
        guard submitted.text.utf8.count == length, let user = users.user(target), user.passes(submitted) else {
            return submitted
        }
        return user.shownCode(length: length)
    }
}
