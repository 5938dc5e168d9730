internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// One endpoint in the list of the client surface: its API description, and how it is made from the surface's parts.
struct ClientPost: Sendable {
    /// Parts for creating endpoints.
    struct Parts: Sendable {
        let calls: ClientCalls
        let publicURL: String
        /// The machine's clock, for the age of proofs.
        let systemNow: Now
    }

    typealias Respond = @Sendable (Request, ClientCaller) async throws(ClientError) -> Response

    let path: String
    let demand: Demand
    private let makeOperation: @Sendable () -> Operation
    private let makeRespond: @Sendable (Parts) -> Respond

    init<E: ClientEndpoint>(_ make: @escaping @Sendable (Parts) -> E) {
        path = E.call.path
        demand = E.call.demand
        makeOperation = { E.operation }
        makeRespond = { parts in
            let endpoint = make(parts)
            let form = ClientForm(E.self)
            return { (request, caller) async throws(ClientError) in
                try await parts.calls.answer(request, caller, endpoint, form)
            }
        }
    }

    func respond(_ parts: Parts) -> Respond { makeRespond(parts) }

    /// The API description of the endpoint.
    var operation: Operation { makeOperation() }
}
