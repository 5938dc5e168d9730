internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Parts that the endpoints of the client surface share: strict bodies, retry keys, and answers.
struct ClientCalls: Sendable {
    let engine: Engine
    let commands: SessionCommands
    let admission: ClientAdmission

    /// - Parameter products: those whose sessions have clients.
    init(_ engine: Engine, of products: [ProductName]) {
        self.engine = engine
        commands = SessionCommands(engine)
        admission = ClientAdmission(engine, in: SessionFence(products: products))
    }

    /// The answer of an endpoint to a call of an authenticated client.
    func answer<E: ClientEndpoint>(
        _ request: Request, _ caller: ClientCaller, _ endpoint: E, _ form: ClientForm<E>
    ) async throws(ClientError) -> Response {
        let fields = try form.fields(of: request)
        let retry = try form.requestID(fields).map {
            RetryKey(path: request.path, requestID: $0, body: engine.crypto.keyed.body(request.body))
        }
        let body = try form.body(fields, endpoint)
        let answered = try await endpoint.respond(
            to: body, of: request, from: RepeatableCall(caller: caller, retry: retry))
        let reply = answered.reply
        guard let refusal = reply.refusal else { return .json(200, form.reply.object(answered)) }
        return ClientError.refused(refusal).response(reply.session)
    }

    /// Runs one operation.
    /// - Parameter operation: makes the operation.
    func perform(
        _ call: RepeatableCall, _ command: (SessionCommands) throws(EngineFault) -> SessionCommand
    ) async throws(ClientError) -> OperationReply {
        try await reply(call.caller, call.retry, command)
    }

    /// Uses up the caller's proof and returns the session unchanged.
    func read(_ caller: ClientCaller) async throws(ClientError) -> OperationReply {
        try await reply(caller, nil) { (commands) throws(EngineFault) in commands.read() }
    }

    private func reply(
        _ caller: ClientCaller, _ retry: RetryKey?,
        _ command: (SessionCommands) throws(EngineFault) -> SessionCommand
    ) async throws(ClientError) -> OperationReply {
        let asked: SessionCommand
        do throws(EngineFault) { asked = try command(commands) } catch { throw ClientError(error) }
        let call = ClientAdmission.Call(
            authID: caller.authID, credential: caller.credential, retry: retry, noteSession: caller.noteSession)
        do throws(ClientAdmission.Fault) { return try await admission.perform(asked, for: call) } catch {
            throw ClientError(error)
        }
    }

    /// Refuses a page that the session's tenant has not registered: a fingerprint must go only to registered URLs.
    func check(mobileAuthReturnURL text: String, _ caller: ClientCaller) async throws(ClientError) {
        let rules = try await rules(of: caller)
        guard let page = try? FinalTargetURL(text), page.isReturnPage(of: rules) else {
            throw ClientError(FieldDefect("mobileAuthReturnUrl", "names a page that is not registered for this client"))
        }
    }

    func rules(of caller: ClientCaller) async throws(ClientError) -> TenantRules {
        do throws(ClientAdmission.Fault) { return try await admission.tenantRules(of: caller.authID) } catch {
            throw ClientError(error)
        }
    }

    /// Reads a number from the client.
    func number(_ text: String, _ caller: ClientCaller) async throws(ClientError) -> MessageRequest.NamedNumber {
        commands.read(number: text, try await rules(of: caller))
    }

    /// Sends a message.
    func send(
        _ kind: Session.MessageKind, _ order: MessageRequest.Order, _ request: Request, _ call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        let browser = request.headers["user-agent"].flatMap { BrowserName.describe(userAgent: $0) }
        let languages = request.languages
        return try await perform(call) { (commands) throws(EngineFault) in
            switch kind {
            case .code: try commands.sendCode(order, from: call.caller.address, languages: languages)
            case .link:
                try commands.sendLink(order, browser: browser, from: call.caller.address, languages: languages)
            }
        }
    }
}
