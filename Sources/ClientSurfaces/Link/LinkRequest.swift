internal import SurfaceKit

/// The path of a link, and its parameter.
enum LinkRequest {
    static let path = "/l/{\(token)}"
    /// The path parameter. Any text is accepted; the engine decides whether such a link exists.
    static let token = "linkToken"

    static func parameter<Body>(
        _ set: @escaping @Sendable (inout Body, String) -> Void
    ) -> ParameterMember<Body, LinkError> {
        .path(token, .anyText.described(as: .text(least: 1)), "The message has it; it is the only credential.", set)
    }
}
