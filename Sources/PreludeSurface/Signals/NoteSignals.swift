internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST` and `OPTIONS /prelude/v1/signals`: the SDK on a phone announces the phone before its backend asks for a
/// verification. The phone's network state decides what the SDK sends (Prelude's SDKs for Apple 0.2.2 and Android
/// 0.5.2):
///
/// | the phone has | it sends |
/// | --- | --- |
/// | Wi-Fi and mobile data | OPTIONS without a body over mobile data, and POST over Wi-Fi |
/// | one of them | POST over it; OPTIONS where the app dispatches for silent verification only |
///
/// So OPTIONS shows that the phone has mobile data. POST shows it only if it comes from an operator's network.
///
///     X-SDK-Key: sdk_..., X-SDK-DispatchID: <UUID>, X-SDK-Implemented-Features: 1  ->  204
///
/// The body is in a format that only Prelude's own server reads. This server ignores it and does not store it.
struct NoteSignals: Sendable {
    static let path = "/prelude/v1/signals"
    /// The SDK for Android appends the path to its endpoint unchanged, even if the endpoint ends with a slash.
    static let joinedPath = "/prelude//v1/signals"

    let engine: Engine
    let notices: ConnectionNotices
    let callers: CallerGate?
    let addresses: ClientAddress

    static let call = Call(
        .post, path, id: "preludeNoteSignals", "Note a phone",
        "What the SDK on a phone or a page sends before a verification. The body is not looked at, and not kept.",
        body: .raw(upTo: .event), demand: .changes)

    static var operations: [Operation] {
        let headers: [Parameter] = [
            .header(must("X-SDK-DispatchID", .givenIdentifier, "As the SDK has made it: dispatch_id.")),
            .header(may("X-SDK-Implemented-Features", .text(), "A number; its bit 0 is silent verification.")),
        ]
        let errors: [PreludeError] = [
            .wrongSDKKey, .field(.missing("X-SDK-DispatchID")), .overloaded, .internalFault(""),
            .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)), .originNotAllowed,
        ]
        let noted = Answer(status: 204, about: "It is noted.")
        let responses = errors.map(\.response)
        return [
            call.operation(
                .preludePhone, caller: .sdkKey, parameters: headers, answers: [noted],
                errors: responses + [PreludeError.body(.tooLarge(.event)).response], shape: .prelude),
            Operation(
                id: "preludeNoteSignalsOverCellular", method: .options, path: path, surface: .preludePhone,
                summary: "Note a phone on its cellular connection",
                detail: "The same without a body. A preflight of a browser is answered as such.",
                caller: .sdkKey, parameters: headers + [.header(may("Origin", .text(), "Set by the browser."))],
                answers: [noted],
                errors: responses, errorShape: .prelude),
        ]
    }

    func note(_ request: Request, overCellular: Bool) async throws(PreludeError) {
        do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
        guard let key = Self.header("x-sdk-key", request) else { throw .wrongSDKKey }
        let found = try await PreludeError.running { () async throws(EngineFault) in
            try await engine.tenant(ofKey: key, .sdk)
        }
        guard let tenant = found else { throw .wrongSDKKey }
        request.notes?.note(caller: tenant.id.text)
        do throws(LimitHit) { try callers?.takeOne(of: tenant.id, request) } catch { throw .rateLimited(error) }
        guard let text = Self.header("x-sdk-dispatchid", request), let id = NoticeID(text) else {
            throw .field(FieldDefect("X-SDK-DispatchID", "must be a UUID"))
        }
        let notice = ConnectionNotice(
            id: id, tenant: tenant.id, at: engine.now(), canUseMobileAuth: Self.canVerifySilently(request),
            cameOverCellular: overCellular || comesFromOperator(request))
        try await PreludeError.running { () async throws(EngineFault) in try await notices.record(notice) }
    }

    /// Whether one of this server's operators serves the phone's address. A sandbox's simulated operator serves all
    /// addresses.
    private func comesFromOperator(_ request: Request) -> Bool {
        engine.network.operators.serving(address: addresses.or(peerOf: request)) != nil
    }

    private static func header(_ name: String, _ request: Request) -> String? {
        request.headers.count(name) == 1 ? request.headers[name] : nil
    }

    /// The SDK can verify silently if bit 0 of the features is set.
    private static func canVerifySilently(_ request: Request) -> Bool {
        guard let text = header("x-sdk-implemented-features", request), (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let last = text.utf8.last
        else { return false }
        return last & 1 == 1
    }
}

extension PreludeSurface {
    /// Routes for both methods. An OPTIONS from a browser that asks for permission is answered as a preflight.
    func routes(_ signals: NoteSignals) -> [Route] {
        let answer: @Sendable (Request, Bool) async -> Response = { [engine, crossOrigin] request, overCellular in
            let origins = request.headers.values("origin")
            guard origins.count <= 1, origins.allSatisfy(crossOrigin.mayCall) else {
                return crossOrigin.permit(PreludeError.originNotAllowed.response(requestID: request.id), to: nil)
            }
            let response = await PreludeError.answer(
                request, report: engine.reports.log, render: { $0.response(requestID: request.id) }
            ) { () async throws(PreludeError) in
                try await signals.note(request, overCellular: overCellular)
                return Response(status: 204)
            }
            return crossOrigin.permit(response, to: origins.first)
        }
        let rule = NoteSignals.call.body.rule { PreludeError.body($0).response(requestID: "") }
        return [NoteSignals.path, NoteSignals.joinedPath].flatMap { path in
            [
                Route(.post, path, body: rule, demand: .changes, permit: crossOrigin.permit) {
                    await answer($0, false)
                },
                Route(.options, path, demand: .changes, permit: crossOrigin.permit) { [crossOrigin] request in
                    if request.headers.count("access-control-request-method") > 0 {
                        return crossOrigin.preflight(request, methods: "POST")
                    }
                    return await answer(request, true)
                },
            ]
        }
    }
}
