internal import SurfaceKit

/// The path of a link, and the parameter that names it.
enum LinkRequest {
    static let path = "/l/{\(token)}"
    /// The path parameter. Whatever it is, the engine says whether there is such a link.
    static let token = "linkToken"

    static func parameter<Body>(
        _ set: @escaping @Sendable (inout Body, String) -> Void
    ) -> ParameterMember<Body, LinkError> {
        .path(token, .anyText.described(as: .text(least: 1)), "The message has it; it is the only credential.", set)
    }
}
