/// From the head of a request to its answer: chooses the answer and handles the body.
extension Connection {
    /// Decides how a request is answered, as far as its head allows (HTTP-18, HTTP-21, HTTP-23).
    func headArrived(_ head: RequestHead, moreWaits: Bool) {
        exchange.method = head.method
        exchange.keepsAlive = head.keepsAlive
        exchange.isHTTP10 = head.isHTTP10
        exchange.requestID = head.requestID ?? worker.requestIDs.make()
        exchange.notes = worker.makeNotes?(head.headers, peer)
        if case .length(let length) = head.framing, length > worker.limits.maxBodyBytes {
            refuse(.contentTooLarge)
            return
        }
        guard head.expectation != .unknown else {
            refuse(.expectationFailed)
            return
        }
        isAsked = false
        // A client whose body has already arrived does not wait.
        let waits = head.expectation == .proceed && head.framing != .none && !moreWaits
        switch makePlan(head) {
        case .answer(let response): answerWithoutBody(response, head.framing, waits: waits)
        case .run(let route, let request): expectBody(head.framing, route, request, waits: waits)
        case .discard: break
        }
    }

    /// Reads the body as its route requires: stores it up to the route's limit, or discards it.
    private func expectBody(_ framing: BodyFraming, _ route: Route, _ request: Request, waits: Bool) {
        let limit = min(route.body.maxBytes ?? .max, worker.limits.maxBodyBytes)
        let isIgnored = limit == 0
        if case .length(let length) = framing, length > (isIgnored ? worker.limits.maxDiscardedBodyBytes : limit) {
            answerWithoutBody(tooLarge(route, request), framing, waits: waits)
            return
        }
        if waits, !mayProceed(route, request) { return }
        plan = .run(route, request)
        parser.receiveBody(keeping: !isIgnored, limit: isIgnored ? worker.limits.maxDiscardedBodyBytes : limit)
    }

    /// Sends `100 Continue` to a waiting client, unless the route refuses the request from its head.
    private func mayProceed(_ route: Route, _ request: Request) -> Bool {
        isAsked = true
        if let response = route.body.refusal?(request) {
            answer(response, closing: true)
            return false
        }
        _ = write { $0.append(contentsOf: ResponseEncoder.proceed) }
        return true
    }

    /// The answer to a request whose body is longer than its route accepts. A caller without credentials does not learn
    /// the limit.
    private func tooLarge(_ route: Route, _ request: Request) -> Response {
        route.body.refusal?(request) ?? route.body.tooLarge?(request) ?? failureAnswer(.contentTooLarge)
    }

    /// Answers without the body. The body is read and discarded, or the connection closes if the client waits for `100
    /// Continue` or the body is too long.
    private func answerWithoutBody(_ response: Response, _ framing: BodyFraming, waits: Bool) {
        let limit = worker.limits.maxDiscardedBodyBytes
        if case .length(let length) = framing, length > limit {
            answer(response, closing: true)
        } else if waits || exchange.method == .connect {
            answer(response, closing: true)
        } else {
            plan = .answer(response)
            parser.receiveBody(keeping: false, limit: limit)
        }
    }

    /// Part of the body has not arrived. Answers now if the answer does not need the body, and discards the rest.
    func bodyIsOutstanding() {
        switch plan {
        case nil, .discard: break
        case .answer(let response): answerEarly(response)
        case .run(let route, let request):
            guard !isAsked else { break }
            isAsked = true
            if let response = route.body.refusal?(request) { answerEarly(response) }
        }
    }

    private func answerEarly(_ response: Response) {
        parser.dropBody()
        answer(response, closing: parser.bytesLeft ?? 0 > worker.limits.maxDiscardedBodyBytes)
        if phase == .reading { plan = .discard }
    }

    private func makePlan(_ head: RequestHead) -> Plan {
        let match = worker.router.match(head.method, path: head.target.path)
        let isProbe = head.target.form == .path && match.isProbe
        guard isProbe || worker.isCalled(by: head.host) else { return .answer(failureAnswer(.misdirected)) }
        switch head.target.form {
        case .authority:
            return .answer(failureAnswer(.methodNotAllowed(head.method, allow: worker.router.allMethods)))
        case .asterisk: return .answer(optionsAnswer(allow: worker.router.allMethods))
        case .path: break
        }
        switch match {
        case .options(let allow): return .answer(optionsAnswer(allow: allow))
        case .failed(let failure, let area):
            // A browser gets a page, in every area.
            guard let area, worker.failurePage?(failure, head.headers) == nil else {
                return .answer(failureAnswer(failure, head.headers))
            }
            let path = head.target.decodedPath ?? area.prefix
            return makePlan(head, path, area.route(head.method, failure), PathParameters())
        case .found(let route, let parameters):
            guard let path = head.target.decodedPath else { return .answer(failureAnswer(.notFound, head.headers)) }
            return makePlan(head, path, route, parameters)
        }
    }

    private func makePlan(
        _ head: RequestHead, _ path: String, _ route: Route, _ parameters: PathParameters
    ) -> Plan {
        exchange.routePattern = route.pattern
        if place == .reserved, !route.isAlwaysAnswered {
            worker.noteRefusedOnReserve()
            return .answer(worker.overloadAnswer(route, head.headers))
        }
        if route.maySuffer, worker.limits.shedsLoad {
            switch worker.decide(route.demand, head.headers, peer) {
            case .admitted(let admitted): self.admitted = admitted
            case .refused: return .answer(worker.overloadAnswer(route, head.headers))
            }
        } else {
            admitted = Shedding.Admitted(demand: .reads)
        }
        let request = Request(
            method: head.method, path: path,
            rawQuery: String(decoding: head.target.query, as: UTF8.self), headers: head.headers,
            parameters: parameters,
            peer: peer, id: exchange.requestID, host: head.host, routePattern: route.pattern,
            notes: exchange.notes, channel: transport.channel)
        return .run(route, request)
    }

    func requestArrived() {
        let body = parser.takeBody()
        var plan: Plan?
        swap(&plan, &self.plan)
        switch consume plan {
        case nil: break
        case .discard:
            exchange = CurrentExchange()
            deadlines.answered(at: worker.loop.now)
        case .answer(let response): answer(response, closing: false)
        case .run(let route, var request):
            if !body.isEmpty { request.body = body }
            switch route.handler {
            case .immediate(let respond): answer(respond(request), closing: false)
            case .task: run(route, request, isUrgent: !route.maySuffer || !worker.limits.shedsLoad)
            }
        }
    }

    func parsingFailed(_ failure: HTTPFailure) {
        switch plan {
        case .discard: beginClosing()
        // The unwanted body is too long to discard. The answer is still the one chosen from the head.
        case .answer(let response) where failure == .contentTooLarge: answer(response, closing: true)
        case .run(let route, let request) where failure == .contentTooLarge:
            answer(tooLarge(route, request), closing: true)
        case nil, .answer, .run: refuse(failure)
        }
    }

    /// Answers input that cannot be parsed further, and ends the connection after the answer (HTTP-26).
    func refuse(_ failure: HTTPFailure) {
        if exchange.requestID.isEmpty { exchange.requestID = worker.requestIDs.make() }
        // A HEAD request gets no content even if its header is malformed.
        if exchange.method == nil { exchange.method = parser.method }
        answer(failureAnswer(failure), closing: true)
    }

    func answer(_ response: Response, closing: Bool) {
        let closes = closing || mustClose()
        let context = ResponseEncoder.Context(
            isHead: exchange.method == .head, closes: closes, isHTTP10: exchange.isHTTP10,
            requestID: exchange.requestID)
        var status = response.status
        let bytesOut = write { output in
            if encode(response, context, into: &output) { return }
            // The response could not be encoded, which is a program error. The surface's answer to the fault may fail
            // in the same way.
            status = 500
            if worker.encoder.encode(worker.failureResponse(.internalFault), context, into: &output) { return }
            _ = worker.encoder.encode(Response(status: 500), context, into: &output)
        }
        observe(
            status: status, response, bytesOut: bytesOut + sharedOutput.count, isDelivered: true)
        exchangeEnded()
        if closes { beginClosing() }
    }

    /// Appends the response, except for a shared body, which is sent without a copy.
    private func encode(_ response: Response, _ context: ResponseEncoder.Context, into output: inout [UInt8]) -> Bool {
        guard response.sharesBody, !context.isHead, response.hasContent else {
            return worker.encoder.encode(response, context, into: &output)
        }
        guard worker.encoder.encodeHead(of: response, context, into: &output) else { return false }
        share(response.body)
        return true
    }

    func exchangeEnded() {
        plan = nil
        answersThisTurn += 1
        deadlines.answered(at: worker.loop.now)
    }

    /// Reports the finished exchange and resets the current one.
    func observe(status: Int, _ response: Response? = nil, bytesOut: Int, isDelivered: Bool) {
        worker.responded()
        var ended = CurrentExchange()
        swap(&ended, &exchange)
        let elapsed = ended.startedAt == 0 ? 0 : worker.loop.time - ended.startedAt
        worker.finished(
            Exchange(
                method: ended.method, routePattern: ended.routePattern, status: status,
                duration: .nanoseconds(Int64(clamping: elapsed)), bytesIn: ended.bytesIn, bytesOut: bytesOut,
                requestID: ended.requestID, peer: peer, tls: transport.channel?.version, error: response?.error,
                reason: response?.reason, notes: ended.notes, isDelivered: isDelivered))
    }

    /// - Parameter headers: of a request that could be read; with them a browser gets a page.
    private func failureAnswer(_ failure: HTTPFailure, _ headers: Headers? = nil) -> Response {
        let page = headers.flatMap { worker.failurePage?(failure, $0) }
        var response = page ?? worker.answer(to: failure)
        if case .methodNotAllowed(_, let allow) = failure { response.setAllow(allow) }
        return response
    }

    private func optionsAnswer(allow: [Method]) -> Response {
        var response = Response(status: 204)
        response.setAllow(allow)
        return response
    }
}
