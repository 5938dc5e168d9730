internal import Locks
internal import HTTPServer
internal import Possession
internal import StrictJSON

/// What the endpoints of the client surface share: their strict bodies, retry keys, and answers.
struct ClientCalls: Sendable {
    let service: ClientService
    let engine: Engine

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

    /// Runs one call of the engine and answers with the state it leaves.
    ///
    /// - Parameter render: what a success answers where that is not the bare state.
    func perform(
        _ caller: ClientCaller, _ retry: RetryKey?,
        render: @escaping @Sendable (Session) -> JSONObject = { StateDocument($0).object },
        _ run: @Sendable (ClientService.Call) async throws(ClientService.Fault) -> StoredAnswer
    ) async throws(ClientError) -> Response {
        // Only the wait of a limit is no part of the stored bytes; where there are no limits there is nothing to keep.
        let wait = engine.limits.overSessions == nil ? nil : Locked(0)
        let call = ClientService.Call(
            authID: caller.authID, credential: caller.credential, retry: retry, address: caller.address,
            noteSession: caller.noteSession
        ) { session, refusal in
            if case .rateLimited(let hit) = refusal { wait?.withLock { $0 = hit.retryAfterSeconds } }
            return Self.answer(session, refusal, retry, render)
        }
        let answer: StoredAnswer
        do throws(ClientService.Fault) { answer = try await run(call) } catch { throw ClientError(error) }
        var response = Self.response(answer)
        if caller.notes != nil { response.error = Self.error(in: answer) }
        if answer.status == 429 { response.add("Retry-After", String(max(1, wait?.withLock { $0 } ?? 0))) }
        return response
    }

    /// Refuses a page that the session's tenant did not register: a fingerprint must not be sent just anywhere.
    func check(mobileAuthReturnURL text: String, _ caller: ClientCaller) async throws(ClientError) {
        let rules: TenantRules
        do throws(ClientService.Fault) { rules = try await service.tenantRules(of: caller.authID) } catch {
            throw ClientError(error)
        }
        guard let page = try? FinalTargetURL(text), page.isReturnPage(of: rules) else {
            throw ClientError(FieldDefect("mobileAuthReturnUrl", "names a page that is not registered for this client"))
        }
    }

    /// Has a message sent, and answers with the state it leaves.
    func send(
        _ kind: Session.MessageKind, _ order: ClientService.MessageOrder, _ request: Request, _ caller: ClientCaller,
        _ retry: RetryKey?
    ) async throws(ClientError) -> Response {
        let browser = request.headers["user-agent"].flatMap { BrowserName.describe(userAgent: $0) }
        return try await perform(caller, retry) { [service] call throws(ClientService.Fault) in
            switch kind {
            case .code: try await service.sendCode(order, call)
            case .link: try await service.sendLink(order, browser: browser, call)
            }
        }
    }

    private static func answer(
        _ session: Session, _ refusal: ClientRefusal?, _ retry: RetryKey?, _ render: (Session) -> JSONObject
    ) -> StoredAnswer {
        guard let refusal else {
            return StoredAnswer(status: 200, body: render(session).serialized(), requestBody: retry?.body)
        }
        let error = ClientError.refused(refusal)
        return StoredAnswer(status: error.entry.status, body: error.body(session), requestBody: retry?.body)
    }

    /// The name of the error in an answer of ours, for the log. Answers are kept as bytes, for retries.
    private static func error(in answer: StoredAnswer) -> String? {
        guard answer.status >= 400, let object = try? JSONObject.parse(answer.body) else { return nil }
        return object["error"]?.string
    }

    /// A stored answer has status and body; what a 401 adds follows from the body, which holds no state.
    static func response(_ answer: StoredAnswer) -> Response {
        guard answer.status == 401 else { return .json(answer.status, bytes: answer.body) }
        let refusals: [ClientRefusal] = [.invalidDPoPProof, .tokenAlreadyUsed, .invalidToken]
        let refusal = refusals.first { ClientError.refused($0).body() == answer.body }
        return ClientError.refused(refusal ?? .invalidToken).response
    }
}
