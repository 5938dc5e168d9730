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
    func perform(
        _ caller: ClientCaller, _ retry: RetryKey?,
        _ run: @Sendable (ClientService.Call) async throws(ClientService.Fault) -> StoredAnswer
    ) async throws(ClientError) -> Response {
        // Only the wait of a limit is no part of the stored bytes; where there are no limits there is nothing to keep.
        let wait = engine.limits.perNumber == nil ? nil : Locked(0)
        let call = ClientService.Call(authID: caller.authID, credential: caller.credential, retry: retry) {
            session, refusal in
            if case .rateLimited(let seconds) = refusal { wait?.withLock { $0 = seconds } }
            return Self.answer(session, refusal, retry)
        }
        let answer: StoredAnswer
        do throws(ClientService.Fault) { answer = try await run(call) } catch { throw ClientError(error) }
        var response = Self.response(answer)
        if answer.status == 429 { response.add("Retry-After", String(max(1, wait?.withLock { $0 } ?? 0))) }
        return response
    }

    static func answer(_ session: Session, _ refusal: ClientRefusal?, _ retry: RetryKey?) -> StoredAnswer {
        guard let refusal else {
            return StoredAnswer(status: 200, body: StateDocument(session).object.serialized(), requestBody: retry?.body)
        }
        let error = ClientError.refused(refusal)
        return StoredAnswer(status: error.entry.status, body: error.body(session), requestBody: retry?.body)
    }

    /// A stored answer has status and body; what a 401 adds follows from the body, which holds no state.
    static func response(_ answer: StoredAnswer) -> Response {
        guard answer.status == 401 else { return .json(answer.status, bytes: answer.body) }
        let refusals: [ClientRefusal] = [.invalidDPoPProof, .tokenAlreadyUsed, .invalidToken]
        let refusal = refusals.first { ClientError.refused($0).body() == answer.body }
        return ClientError.refused(refusal ?? .invalidToken).response
    }
}
