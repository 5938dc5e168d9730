internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// What the endpoints of the client surface share: their strict bodies, retry keys, and answers.
struct ClientCalls: Sendable {
    let engine: Engine
    let operations: SessionOperations
    let admission: ClientAdmission

    init(_ engine: Engine) {
        self.engine = engine
        operations = SessionOperations(engine)
        admission = ClientAdmission(engine)
    }

    /// In characters (client protocol 4.3).
    private static let requestID = TextRule.freeText(36)

    /// The members of the body, none but `known` and `requestId`, and the retry key if there is one.
    func fields(
        of request: Request, known: [String], isOptional: Bool = false
    ) throws(ClientError) -> (reader: FieldReader, retry: RetryKey?) {
        let object: JSONObject
        do throws(BodyDefect) {
            object = isOptional ? try RequestBody.objectOrNothing(of: request) : try RequestBody.object(of: request)
        } catch {
            throw ClientError(error)
        }
        let reader = FieldReader(object)
        do throws(FieldDefect) {
            try reader.refuseOthers(than: known + ["requestId"])
            let requestID = try reader.text("requestId", Self.requestID)
            let retry = requestID.map {
                RetryKey(path: request.path, requestID: $0, body: engine.keyed.body(request.body))
            }
            return (reader, retry)
        } catch {
            throw ClientError(error)
        }
    }

    /// Has one operation carried out and answers with the state it leaves.
    ///
    /// - Parameters:
    ///   - render: what a success answers where that is not the bare state.
    ///   - operation: makes the operation.
    func perform(
        _ caller: ClientCaller, _ retry: RetryKey?,
        render: (OperationReply) -> JSONObject = { StateDocument($0.session).object },
        _ operation: (SessionOperations) throws(EngineFault) -> SessionOperation
    ) async throws(ClientError) -> Response {
        let reply = try await reply(caller, retry, operation)
        guard let refusal = reply.refusal else { return .json(200, render(reply)) }
        return ClientError.refused(refusal).response(reply.session)
    }

    /// Uses up the caller's proof and gives the session as it is.
    func look(_ caller: ClientCaller) async throws(ClientError) -> OperationReply {
        try await reply(caller, nil) { (operations) throws(EngineFault) in operations.look() }
    }

    private func reply(
        _ caller: ClientCaller, _ retry: RetryKey?,
        _ operation: (SessionOperations) throws(EngineFault) -> SessionOperation
    ) async throws(ClientError) -> OperationReply {
        let asked: SessionOperation
        do throws(EngineFault) { asked = try operation(operations) } catch { throw ClientError(error) }
        let call = ClientAdmission.Call(
            authID: caller.authID, credential: caller.credential, retry: retry, noteSession: caller.noteSession)
        do throws(ClientAdmission.Fault) { return try await admission.perform(asked, for: call) } catch {
            throw ClientError(error)
        }
    }

    /// Refuses a page that the session's tenant did not register: a fingerprint must not be sent just anywhere.
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

    /// A number that the client wrote.
    func number(_ text: String, _ caller: ClientCaller) async throws(ClientError) -> SessionOperations.NamedNumber {
        operations.read(number: text, try await rules(of: caller))
    }

    /// Has a message sent, and answers with the state it leaves.
    func send(
        _ kind: Session.MessageKind, _ order: SessionOperations.MessageOrder, _ request: Request,
        _ caller: ClientCaller, _ retry: RetryKey?
    ) async throws(ClientError) -> Response {
        let browser = request.headers["user-agent"].flatMap { BrowserName.describe(userAgent: $0) }
        return try await perform(caller, retry) { (operations) throws(EngineFault) in
            switch kind {
            case .code: try operations.sendCode(order, from: caller.address)
            case .link: try operations.sendLink(order, browser: browser, from: caller.address)
            }
        }
    }
}
