package import Possession

/// The published codes of the sandbox users; everybody else gets the code that was drawn.
package struct ScriptedCodes: CodeSource {
    private let users: SandboxUsers

    package init(_ users: SandboxUsers) {
        self.users = users
    }

    package func code(for number: PhoneNumber, drawn: OTP) -> (shown: OTP, passes: Bool) {
        guard let user = users.user(number) else { return (drawn, true) }
        let code = user.shownCode(length: drawn.text.utf8.count)
        return (code, user.passes(code))
    }

    /// Where a user has several codes that pass, each of them stands for the one that was shown.
    package func awaited(_ submitted: OTP, of number: PhoneNumber, length: Int) -> OTP {
        guard submitted.text.utf8.count == length, let user = users.user(number), user.passes(submitted) else {
            return submitted
        }
        return user.shownCode(length: length)
    }
}
