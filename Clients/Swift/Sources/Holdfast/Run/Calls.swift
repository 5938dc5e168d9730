import Foundation

/// Result of one exchange.
package enum Reading {
    case ok(Data)
    /// To be repeated, after the server's own time if it gave one. 0: at once, and not counted.
    case again(PossessionError, afterSeconds: Double?)
    case refused(PossessionError)
}

/// The calls of one run: signed, repeated where that can help, and the newest state that they have brought.
@ClientActor
package final class Calls {
    private static let repeatSeconds = [0.5, 1, 2, 4]
    private static let longestWaitSeconds = 60.0
    static let callSeconds = 30.0
    private static let mostCalls = 40
    private static let mostFollowed = 5
    private static let mostComplaints = 6
    /// Longer than any session lives, whatever its states say.
    private static let longestSeconds = 20.0 * 60

    let world: any World
    let token: Token
    let key: StoredKey
    private let messages: [ErrorName: String]
    private(set) var newest: State?
    private var calls = 0
    private var followed = 0
    /// Seconds that the true time is ahead of the device's clock, once the server has complained.
    private var clockShift = 0.0
    /// How often the server has refused a proof, and how often since it gave another answer.
    private var complaints = 0
    private var complaintsInARow = 0
    /// The stored time at which `elapsed` was 0.
    private let storedStart: Double
    private let stopped = Promise<End>()

    init(world: any World, token: Token, key: StoredKey, messages: [ErrorName: String]) {
        self.world = world
        self.token = token
        self.key = key
        self.messages = messages
        let age = min(max(0, world.now() - key.madeAt), Self.longestSeconds)
        storedStart = token.iat + age - world.elapsed()
    }

    /// Whether the server may know of this run.
    var haveBegun: Bool { calls > 0 }

    /// The state. There is one from the first answer on.
    func state() throws(Interruption) -> State {
        guard let newest else { throw .end(.broken(error(.network))) }
        return newest
    }

    /// Ends whatever is waited for.
    func stop(_ end: End) {
        stopped.resolve(end)
    }

    func error(_ name: ErrorName, retryAfterSeconds: Double? = nil, cause: (any Error)? = nil) -> PossessionError {
        PossessionError(name, messages: messages, retryAfterSeconds: retryAfterSeconds, cause: cause)
    }

    func giveUp(_ name: ErrorName, cause: (any Error)? = nil) -> Interruption {
        .end(.givenUp(error(name, cause: cause)))
    }

    /// The app's own mistake ends the run.
    func giveUp(_ name: ErrorName, detail: String) -> Interruption {
        .end(.givenUp(PossessionError(name, messages: messages, detail: detail)))
    }

    /// The end of a run whose app has no steps for where the session is.
    func missing(_ kind: Run.Kind) throws(Interruption) -> Interruption {
        let steps = kind == .otp ? "otp (withOtpFallback)" : "instantLink (withInstantLinkFallback)"
        return giveUp(.stepMissing, detail: "It is at \(try state().step ?? "no step"), for which there is \(steps).")
    }

    /// The time that moments in a state go by: the token's, and what has passed since the session key was made.
    func storedNow() -> Double {
        storedStart + world.elapsed()
    }

    /// No run outlives its token by this time.
    var endOfToken: Double { token.iat + Self.longestSeconds }
    var isTokenOver: Bool { storedNow() >= endOfToken }

    func proofSeconds() -> Int {
        Int((world.now() + clockShift).rounded(.down))
    }

    func can(_ action: String) -> Bool {
        newest?.allowed.contains(action) ?? false
    }

    // MARK: waiting

    /// Waits for the first of these, or until the run is stopped.
    func first(_ signals: [Signal]) async throws(Interruption) {
        await anyOf(signals + [stopped])
        if !signals.contains(where: \.isSet), let end = stopped.value { throw .end(end) }
    }

    func pause(seconds: Double, or others: [Signal] = []) async throws(Interruption) {
        let over = Signal()
        let timer = world.timer(seconds: seconds) { over.set() }
        defer { timer.cancel() }
        try await first([over] + others)
    }

    // MARK: calls

    /// A step of the protocol. Its body goes out once, and again only if no answer comes.
    @discardableResult
    func post(_ path: String, _ fields: JSONObject = [:]) async throws(Interruption) -> Data {
        calls += 1
        if calls > Self.mostCalls { throw giveUp(.tooManySteps) }
        return try await send("POST", path, fields)
    }

    func read() async throws(Interruption) {
        _ = try await send("GET", "/session", nil)
    }

    /// Repeated once at most. Whatever comes of it is no reason to stop: the session ends by itself.
    func cancel(reason: String) async {
        _ = try? await send("POST", "/session/cancel", ["reason": .string(reason)], most: 1)
    }

    private func send(
        _ method: String, _ path: String, _ fields: JSONObject?, most: Int = repeatSeconds.count
    ) async throws(Interruption) -> Data {
        let isLast = path == "/session/cancel"
        let body = fields.map { fields in
            fields.merging(["requestId": .string(UUID().uuidString.lowercased())]) { $1 }.encoded()
        }
        var repeats = 0
        while true {
            let cause: PossessionError
            let toldSeconds: Double?
            switch try await exchange(method, path, body: body, isLast: isLast) {
            case .ok(let answer): return answer
            case .refused(let error): throw .refusal(error)
            case .again(_, afterSeconds: 0): continue
            case .again(let error, let afterSeconds): (cause, toldSeconds) = (error, afterSeconds)
            }
            if repeats >= most { throw .end(.broken(cause)) }
            let seconds = toldSeconds ?? Self.repeatSeconds[repeats] * (1 + world.random() / 2)
            repeats += 1
            try await isLast ? pauseForCancel(seconds: seconds) : pause(seconds: seconds)
        }
    }

    /// A run that was stopped still has its cancel to send.
    private func pauseForCancel(seconds: Double) async {
        let over = Signal()
        _ = world.timer(seconds: seconds) { over.set() }
        await anyOf([over])
    }

    /// One call and what its answer means. The state in it is kept.
    ///
    /// - Parameter others: what ends the wait for the answer.
    func exchange(
        _ method: String, _ path: String, body: Data? = nil, isLast: Bool = false, seconds: Double = callSeconds,
        or others: [Signal] = []
    ) async throws(Interruption) -> Reading {
        guard let url = URL(string: token.aud + path) else { throw .end(.broken(error(.tokenMalformed))) }
        let answer = Promise<HTTPResponse?>()
        let late = Signal()
        let sending = world.send(try signed(method, url, body)) { answer.resolve($0) }
        let timer = world.timer(seconds: seconds) { late.set() }
        defer {
            timer.cancel()
            sending.cancel()
        }
        if isLast {
            await anyOf([answer, late])
        } else {
            try await first([answer, late] + others)
        }
        return try interpret(answer.value ?? nil)
    }

    private func signed(_ method: String, _ url: URL, _ body: Data?) throws(Interruption) -> HTTPRequest {
        let proof: String
        do {
            proof = try dpopProof(
                by: key.key, method: method, url: url.absoluteString, iat: proofSeconds(), jti: UUID().uuidString,
                token: token)
        } catch {
            throw .end(.broken(self.error(.keyUnavailable, cause: error)))
        }
        var headers = ["Authorization": "DPoP " + token.text, "DPoP": proof]
        if body != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(method: method, url: url, headers: headers, body: body)
    }

    private func interpret(_ response: HTTPResponse?) throws(Interruption) -> Reading {
        guard let response, let body = try? JSONDecoder().decode(AnswerBody.self, from: response.body) else {
            return .again(error(.network), afterSeconds: nil)
        }
        if body.error != ErrorName.invalidDPoPProof.rawValue { complaintsInARow = 0 }
        let state = body.state.flatMap { $0.authId == token.authID ? $0 : nil }
        if let state, state.rev >= newest?.rev ?? state.rev { newest = state }
        guard (200..<300).contains(response.status) else {
            return try refusal(ErrorName(status: response.status, name: body.error), response, hasState: state != nil)
        }
        return state == nil ? .again(error(.network), afterSeconds: nil) : .ok(response.body)
    }

    private func refusal(
        _ name: ErrorName, _ response: HTTPResponse, hasState: Bool
    ) throws(Interruption) -> Reading {
        let retryAfter = response.retryAfterSeconds
        let error = error(name, retryAfterSeconds: retryAfter)
        if name == .invalidToken && newest != nil || name == .deviceNumberMismatch || newest?.isDone == true {
            throw .end(.done)
        }
        if name == .invalidDPoPProof && complaintsInARow == 0 && complaints < Self.mostComplaints {
            complaintsInARow += 1
            complaints += 1
            clockShift = (response.dateSeconds ?? storedNow()) - world.now()
            return .again(error, afterSeconds: 0)
        }
        if name == .rateLimited || response.status >= 500 && name != .smsFailed {
            if retryAfter ?? 0 <= Self.longestWaitSeconds { return .again(error, afterSeconds: retryAfter) }
            if name == .internal { throw .end(.broken(error)) }
        }
        if hasState && (name == .invalidState || name == .sessionDone) {
            followed += 1
            if followed <= Self.mostFollowed { throw .end(.follow) }
        }
        if name == .sessionDone { throw .end(.done) }
        if name != .rateLimited && name.isBreaking { throw .end(.broken(error)) }
        // Nobody can help.
        if name == .phoneNumberNotAccepted || name == .otpUnavailable { throw .end(.givenUp(error)) }
        return .refused(error)
    }
}
