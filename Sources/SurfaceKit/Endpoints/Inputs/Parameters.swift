package import HTTPServer

/// The parameters of a call, in the order in which they are read: of several mistakes, the first is reported. They are
/// written into the same value as the members of the body, after these.
///
///     static let parameters = Parameters<Order, PlatformError> {
///         ParameterMember.path("proveId", .identifier(HolderID.self), orRefuse: .notFound(what: "identity")) { $0.id = $1 }
///         ParameterMember.optionalQuery("limit", .wholeNumber(in: 1...100), "At most so many.") { $0.limit = $1 }
///     }
package struct Parameters<Body: Sendable, Refusal: SurfaceError>: Sendable {
    private let members: [ParameterMember<Body, Refusal>]

    private init(_ members: [ParameterMember<Body, Refusal>]) {
        self.members = members
    }

    package init(@ParameterBuilder<Body, Refusal> _ members: () -> [ParameterMember<Body, Refusal>]) {
        self.init(members())
    }

    /// The parameters of a call that has none.
    package static var none: Parameters { Parameters([]) }

    var isEmpty: Bool { members.isEmpty }

    /// - Throws: for the first invalid parameter.
    package func read(_ request: Request, into body: inout Body) throws(Refusal) {
        for index in members.indices { try members[index].read(request, &body) }
    }

    /// Their API description: path parameters first.
    var described: [Parameter] {
        let all = members.map(\.described)
        return all.filter { $0.place == .path } + all.filter { $0.place != .path }
    }

    /// The API description of the path parameters.
    package var ofPath: [Parameter] { described.filter { $0.place == .path } }

    /// An example of the first mistake that is reported as a defect.
    var exampleDefect: FieldDefect? { members.lazy.compactMap(\.exampleDefect).first }

    /// Refusals that parameters give instead of a defect.
    var refusals: [Refusal] { members.compactMap(\.refusal) }
}
