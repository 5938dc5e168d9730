/// Runs a request as a task and handles its result.
extension Connection {
    /// - Parameter isUrgent: it begins at once, regardless of load.
    func run(_ route: Route, _ request: consuming Request, isUrgent: Bool) {
        phase = .running
        requestBytes = exchange.bytesIn
        worker.requestBegan(admitted)
        job = (route, request)
        if isUrgent { start(waited: 0) } else { worker.loop.begin(self) }
    }

    func start(waited: UInt64) {
        guard phase == .running else {
            // The peer has disconnected in the meantime.
            job = nil
            worker.requestEnded(admitted)
            observe(status: 503, bytesOut: 0, isDelivered: false)
            return
        }
        if waited > worker.loop.longestWait {
            guard let (route, request) = job.take() else { preconditionFailure("what begins has its job") }
            worker.noteLate()
            handlerFinished(worker.overloadAnswer(route, request.headers))
            return
        }
        task = Task(executorPreference: worker.loop) {
            guard let (route, request) = self.job else { return }
            self.job = nil
            let response =
                if route.isLong, let lane = self.worker.lane, lane.isReady() {
                    await withTaskExecutorPreference(lane) { await route.respond(request) }
                } else {
                    await route.respond(request)
                }
            if let write = response.stream { await self.send(response, write) } else { self.handlerFinished(response) }
        }
    }

    private func handlerFinished(_ response: Response) {
        guard taskFinished() else {
            observe(status: response.status, response, bytesOut: 0, isDelivered: false)
            return
        }
        answer(response, closing: exchange.isHTTP10 && response.stream != nil)
        resumeReading()
    }

    /// Returns false when the connection was closed in the meantime.
    private func taskFinished() -> Bool {
        precondition(worker.loop.isCurrent, "a request never leaves its loop")
        task = nil
        worker.requestEnded(admitted)
        guard phase == .running else { return false }
        phase = .reading
        notePendingInput()
        return true
    }

    // MARK: Streams

    /// Sends the head, lets `write` send the content, and completes or cuts off the response depending on how `write`
    /// ended.
    private func send(_ response: Response, _ write: Response.Stream) async {
        guard let stream = beginStream(response) else {
            // The peer is gone, wants only the head, or the head cannot be written: handled as for every other
            // response.
            handlerFinished(response)
            return
        }
        self.stream = stream
        do throws(StreamEnd) {
            try await write(ResponseWriter(stream))
            streamFinished(stream, isComplete: true)
        } catch {
            streamFinished(stream, isComplete: false)
        }
    }

    private func beginStream(_ response: Response) -> ResponseStream? {
        precondition(worker.loop.isCurrent, "a request never leaves its loop")
        guard phase == .running, exchange.method != .head else { return nil }
        notePendingInput()
        let context = ResponseEncoder.Context(
            closes: exchange.isHTTP10 || mustClose(), isHTTP10: exchange.isHTTP10, requestID: exchange.requestID)
        let headBytes = self.write { _ = worker.encoder.encodeHead(of: response, context, into: &$0) }
        guard headBytes > 0 else { return nil }
        return ResponseStream(
            self, status: response.status, headBytes: headBytes, closes: context.closes, isChunked: !context.isHTTP10)
    }

    private func streamFinished(_ stream: ResponseStream, isComplete: Bool) {
        let isOpen = taskFinished()
        if isOpen, isComplete { stream.complete() }
        stream.end()
        self.stream = nil
        let closes = stream.closes || mustClose()
        observe(status: stream.status, bytesOut: stream.bytesOut, isDelivered: isOpen && isComplete)
        guard isOpen else { return }
        exchangeEnded()
        if !isComplete {
            cutOff(stream)
        } else if closes {
            beginClosing()
        }
        resumeReading()
    }

    /// Ends the connection so that the response looks incomplete (RFC 9112 section 8): the final chunk is not sent.
    /// Without chunks, a normal close would mark the content as complete, so the connection is reset.
    private func cutOff(_ stream: ResponseStream) {
        if stream.isChunked {
            beginClosing()
        } else {
            transport.resetOnClose()
            close()
        }
    }
}
