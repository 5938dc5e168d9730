package import HTTPServer
internal import Text

/// The header fields of every page: nothing from elsewhere, no script, no frame, no trace of the link in other places.
package struct PagePolicy: Sendable {
    private let withForm: [(name: String, value: String)]
    private let withoutForm: [(name: String, value: String)]

    /// - Parameter sha256: digest of the style, by which the policy permits just that one (CSP 3 section 2.3.1).
    package init(sha256: @Sendable ([UInt8]) -> [UInt8]) {
        let digest = Base64.encode(sha256(Array(PageStyle.text.utf8)))
        let policy = "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; frame-ancestors 'none'"
        // The page with the form has no `form-action`. Chromium holds every redirect after a form post against it
        // (tried with 156: `'self'` stops the 303 to the final target, and naming the target's host stops what that
        // host redirects to). The hosts that may follow cannot be listed: the final target is the tenant's and may go
        // on, often to an app's own scheme. `https:` would still stop that, and nothing that an attacker needs. What
        // the directive is for, a form slipped into the page, is kept out by escaping every value (`HTML`).
        withForm = Self.fields(policy)
        withoutForm = Self.fields(policy + "; form-action 'none'")
    }

    package func headers(hasForm: Bool) -> [(name: String, value: String)] {
        hasForm ? withForm : withoutForm
    }

    /// A page as a response.
    package func response(_ status: Int, _ document: HTML, hasForm: Bool = false) -> Response {
        Response(status: status, headers: headers(hasForm: hasForm), body: Array(document.text.utf8))
    }

    private static func fields(_ policy: String) -> [(name: String, value: String)] {
        [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Language", "en"),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", policy),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", permissions),
            // The address of the page is a credential.
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("X-Robots-Tag", "noindex, nofollow"),
        ]
    }

    private static let permissions = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
}
