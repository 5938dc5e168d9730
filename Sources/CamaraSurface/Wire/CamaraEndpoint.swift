internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a backend that shows an access token. Members that are not described are refused.
protocol CamaraEndpoint: Endpoint where Caller == CamaraCaller, Failure == CamaraError, Refusal == CamaraError {
    static var scope: CamaraScope { get }
}

extension CamaraEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        let described = operation(
            .camara, caller: .camaraToken, schema: body.schema(others: false),
            errors: common + call.body.defects.map { CamaraError($0) }, shape: .camara)
        return [described]
    }

    /// What every call may refuse.
    private static var common: [CamaraError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .unauthorized, .scopeMissing(scope), .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }

    func route(_ gate: CamaraGate) -> Route {
        let form = EndpointForm(Self.self)
        let bound = form.body.bound
        let body = BodyRule(
            maxBytes: bound.bytes,
            refusal: { request in
                Self.refusal(ofHead: request, gate).map { Correlator.echoed($0.response, to: request) }
            },
            tooLarge: { Correlator.echoed(CamaraError.body(.tooLarge(bound)).response, to: $0) })
        return Route(Self.call.method, Self.call.path, body: body, demand: Self.call.demand) { request in
            let response = await CamaraError.answer(request, report: gate.engine.report) {
                () async throws(CamaraError) in
                let caller = try await gate.caller(of: request, for: Self.scope)
                let read = try Self.read(request, form)
                return form.reply.response(try await respond(to: read, of: request, from: caller))
            }
            return Correlator.echoed(response, to: request)
        }
    }

    private static func read(_ request: Request, _ form: EndpointForm<Self>) throws(CamaraError) -> Body {
        let fields: FieldReader
        do throws(BodyDefect) { fields = try form.body.reader(of: request) } catch { throw .body(error) }
        do throws(FieldDefect) {
            try Correlator.check(request)
            try fields.refuseOthers(than: form.shape.names)
            return try form.shape.read(fields)
        } catch { throw .field(error) }
    }

    /// Why a request fails whatever its body is, if that can be told before it has come.
    private static func refusal(ofHead request: Request, _ gate: CamaraGate) -> CamaraError? {
        do throws(CamaraError) {
            _ = try gate.grant(of: request, for: scope)
            // Without a body there is no type either: that is told as a missing body.
            if request.headers.count("content-type") > 0 || request.headers.count("content-length") > 0 {
                do throws(BodyDefect) { try call.body.checkHead(request) } catch { throw .body(error) }
            }
            return nil
        } catch { return error }
    }
}
