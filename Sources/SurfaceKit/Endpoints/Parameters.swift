package import HTTPServer

/// The parameters of a call, in the order in which they are read: of several mistakes the first is answered. They go into
/// the same value as the members of the body, after these.
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

    /// - Throws: for the first parameter that is not as it must be.
    package func read(_ request: Request, into body: inout Body) throws(Refusal) {
        for index in members.indices { try members[index].read(request, &body) }
    }

    /// As the API description has them: those of the path first.
    var described: [Parameter] {
        let all = members.map(\.described)
        return all.filter { $0.place == .path } + all.filter { $0.place != .path }
    }

    /// Those of the path, as the API description has them.
    package var ofPath: [Parameter] { described.filter { $0.place == .path } }

    /// The first mistake that is told as a defect, as an example.
    var exampleDefect: FieldDefect? { members.lazy.compactMap(\.exampleDefect).first }

    /// Refusals that parameters answer in place of a defect.
    var refusals: [Refusal] { members.compactMap(\.refusal) }
}
