internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// A call of a backend that sends an access token. Unknown members are refused.
protocol CamaraEndpoint: Endpoint where Caller == CamaraCaller, Failure == CamaraError, Refusal == CamaraError {
    static var scope: CamaraScope { get }
}

extension CamaraEndpoint {
    /// The endpoint in the API description.
    static var operations: [Operation] {
        operations(
            .camara, caller: .camaraToken, common: common, shape: .camara, others: false,
            lost: .absent(.notFound))
    }

    /// Errors that every call may return.
    private static var common: [CamaraError] {
        (exampleDefect.map { [.field($0)] } ?? []) + [
            .unauthorized, .scopeMissing(scope), .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ]
    }

    func routes(_ gate: CamaraGate) -> [Route] {
        SurfaceRoute<Self>(
            report: gate.engine.reports.log, finish: { Correlator.echoed($0, to: $1) },
            checkHead: { request throws(CamaraError) in
                _ = try gate.credential(of: request, for: Self.scope)
                // Without a body there is also no content type. Then report the missing body, not the missing type.
                if request.headers.count("content-type") > 0 || request.headers.count("content-length") > 0 {
                    try SurfaceRoute<Self>.checkBody(request)
                }
            }
        ).routes { request, form throws(CamaraError) in
            let caller = try await gate.caller(of: request, for: Self.scope)
            let read = try Self.read(request, form)
            return form.reply.response(try await respond(to: read, of: request, from: caller))
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
}
