internal import Text
package import Engine
package import Possession

/// The e-mail addresses of the sandbox: those of its users, and all in domains that cannot be registered (RFC 2606).
package struct SandboxEmails: EmailDirectory {
    private static let domains = ["example.com", "example.org", "example.net", "test", "example"]
    private static let reason =
        "the sandbox serves addresses of its users, of example.com, example.org and example.net, and under .test and .example"

    private let users: SandboxUsers

    package init(_ users: SandboxUsers) {
        self.users = users
    }

    package func read(_ text: String) throws(EmailRefusal) -> EmailAddress {
        guard let address = EmailAddress(text) else { throw .malformed }
        let domain = address.domain
        let isServed = Self.domains.contains { known in
            // `test` is a top-level domain, so it matches the domains under it.
            domain.isSame(as: known) || domain.utf8.suffix(known.utf8.count + 1).elementsEqual(".\(known)".utf8)
        }
        guard isServed || users.user(.email(address)) != nil else { throw .notServed(reason: Self.reason) }
        return address
    }
}
