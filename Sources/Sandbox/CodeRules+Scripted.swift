package import Possession

extension CodeRules {
    /// The published codes of the sandbox users; other recipients get the random code. A code that a backend has chosen is
    /// sent unchanged, and passes unless the user's script accepts no code.
    package static func scripted(_ users: SandboxUsers) -> CodeRules {
        CodeRules(
            code: { target, drawn, own in
                guard let user = users.user(target) else { return (own ?? drawn, true) }
                if let own { return (own, user.otp == .pass) }
                let code = user.shownCode(length: drawn.text.utf8.count)
                return (code, user.passes(code))
            },
            awaited: { submitted, target, length in
                // If a user has several codes that pass, each of them counts as the code that was sent.
                guard submitted.text.utf8.count == length, let user = users.user(target), user.passes(submitted) else {
                    return submitted
                }
                return user.shownCode(length: length)
            })
    }
}
