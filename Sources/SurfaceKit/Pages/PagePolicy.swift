package import HTTPServer
package import Possession
internal import Text

/// The header fields of every page: no content from other servers, no script except `PageScript`, no frame, and no
/// referrer that would reveal the link.
package struct PagePolicy: Sendable {
    private let common: String
    private let script: String

    /// - Parameter sha256: computes the digests of the style and the script, by which the policy allows only those (CSP
    ///   3 section 2.3.1).
    package init(sha256: @Sendable ([UInt8]) -> [UInt8]) {
        let style = Base64.encode(sha256(Array(PageStyle.text.utf8)))
        common = "default-src 'none'; style-src 'sha256-\(style)'; base-uri 'none'; frame-ancestors 'none'"
        script = "; script-src 'sha256-\(Base64.encode(sha256(Array(PageScript.text.utf8))))'"
    }

    /// - Parameters:
    ///   - showsTimes: see `PageFrame`.
    ///   - language: of the page.
    package func headers(
        hasForm: Bool, showsTimes: Bool = false, language: LanguageTag = .english
    ) -> [(name: String, value: String)] {
        // The page with the form has no `form-action`. Chromium checks every redirect after a form post against it
        // (tried with 156: `'self'` blocks the 303 to the final target, and naming the target's host blocks that host's
        // own redirects). The hosts cannot be listed: the final target is the tenant's and may redirect further, often
        // to an app's own scheme. `https:` would still block that, and would not stop an attacker. The purpose of the
        // directive, to stop an injected form, is met by escaping every value (`HTML`).
        let policy = common + (showsTimes ? script : "") + (hasForm ? "" : "; form-action 'none'")
        return [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Language", language.text),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", policy),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", Self.permissions),
            // The URL of the page is a credential.
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("X-Robots-Tag", "noindex, nofollow"),
        ]
    }

    /// A page as a response.
    package func response(
        _ status: Int, _ document: HTML, hasForm: Bool = false, showsTimes: Bool = false,
        language: LanguageTag = .english
    ) -> Response {
        let headers = headers(hasForm: hasForm, showsTimes: showsTimes, language: language)
        return Response(status: status, headers: headers, body: Array(document.text.utf8))
    }

    private static let permissions = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
}
