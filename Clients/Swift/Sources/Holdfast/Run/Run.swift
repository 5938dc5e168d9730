import Foundation

/// Choices of the app for its runs.
package struct Settings: Sendable {
    package var steps = StepRunner()
    /// A device that waits while the link is opened on another one.
    package var isSecondary = false
    package var servers: [String] = []
    package var messages: [ErrorName: String] = [:]
    package var usesDeviceKey = true
    package var testMode = false

    package init() {}
}

/// One `authenticate`, from its call to its end (`Clients/PROTOCOL.md`).
@ClientActor
package final class Run {
    private static let mostSteps = 40

    let world: any World
    let settings: Settings
    let tokenText: String
    private(set) var calls: Calls!
    /// For the step that is run next.
    var pendingError: PossessionError?
    /// The app was opened by the link's target: the state may have changed.
    let opened = Signal()
    private var gaveUpDeviceKey = false
    var proofsSent = 0
    var gaveUpMobileAuth = false
    private var stepsRun = 0
    private var openSteps: [Cancellation] = []
    private var failedMessages = 0
    private var stopped: End?

    package init(world: any World, settings: Settings, token: String) {
        self.world = world
        self.settings = settings
        tokenText = token
    }

    /// The app cancels.
    package func cancel() {
        let end = End.givenUp(newError(.cancelled))
        stopped = stopped ?? end
        calls?.stop(end)
    }

    /// Whether the URL that has opened the app is meant for this run. If so, the run has a look at the session.
    package func open(target: String) -> Bool {
        guard let calls, completion(inTarget: target, of: calls.token.authID) != nil else { return false }
        opened.set()
        return true
    }

    /// - Throws: `PossessionError`, or what the app's finish step threw.
    package func go() async throws {
        let end: End
        do throws(Interruption) {
            try prepare()
            if let stopped { throw .end(stopped) }
            try await follow { @ClientActor () async throws(Interruption) in try await self.redeem() }
            while try !calls.state().isDone {
                try await follow { @ClientActor () async throws(Interruption) in try await self.advance() }
            }
            end = .done
        } catch {
            switch error {
            case .end(let reason): end = reason
            case .refusal(let refusal): end = Self.end(by: refusal)
            }
        }
        for step in openSteps { step.cancel() }
        try await leave(end)
    }

    /// The end that a refusal nobody can deal with comes to.
    static func end(by refusal: PossessionError) -> End {
        refusal.name == .rateLimited ? .broken(refusal) : .givenUp(refusal)
    }

    /// Token and session key, before the first call.
    private func prepare() throws(Interruption) {
        let token: Token
        do throws(Token.Refused) { token = try Token(tokenText, servers: settings.servers) } catch {
            throw .end(.broken(PossessionError(error.name, messages: settings.messages, detail: error.detail)))
        }
        let key: StoredKey
        do {
            key = try world.keys.session(token.authID, now: world.now())
        } catch {
            throw .end(.broken(newError(.keyUnavailable, cause: error)))
        }
        calls = Calls(world: world, token: token, key: key, messages: settings.messages)
    }

    private func redeem() async throws(Interruption) {
        let steps = settings.steps
        var fields: JSONObject = [
            "platform": "ios", "sdk": .string("holdfast-swift/\(PossessionClient.version)"),
            "deviceKey": .bool(settings.usesDeviceKey && !settings.isSecondary && world.keys.isLasting),
            "cellular": .string(cellular.rawValue),
        ]
        if steps.otp != nil || steps.link != nil {
            let isLink = steps.link != nil && (settings.isSecondary || steps.otp == nil)
            fields["fallback"] = isLink ? "link" : "otp"
        }
        if settings.testMode { fields["testMode"] = .bool(true) }
        try await calls.post("/session", fields)
    }

    /// Does something. Where the server says that the session is elsewhere, that is where the run goes on.
    private func follow(
        _ something: @ClientActor () async throws(Interruption) -> Void
    ) async throws(Interruption) {
        do {
            try await something()
        } catch .end(.follow) {
        } catch {
            throw error
        }
    }

    private func advance() async throws(Interruption) {
        let step = try calls.state().step
        switch step {
        case "otpStart": return try await start(.otp, isChange: false)
        case "linkStart": return try await start(.link, isChange: false)
        case "otpFinish": return try await enterCode()
        case "linkWait": return try await waitForLink()
        default: break
        }
        if step == "device" && calls.can("device") && !gaveUpDeviceKey {
            if try await !proveDevice() { gaveUpDeviceKey = true }
        } else if calls.can("mobileAuth") && !gaveUpMobileAuth && isMobileAuthPossible {
            try await proveByMobileAuth()
        } else if calls.can("otp.start") {
            try await start(.otp, isChange: false)
        } else if calls.can("link.start") {
            try await start(.link, isChange: false)
        } else {
            throw calls.giveUp(.noCheckLeft)
        }
    }

    private var isMobileAuthPossible: Bool {
        !settings.isSecondary && (canHop || settings.steps.operatorToken != nil)
    }

    /// Whether the hops of Mobile Auth have a network to go over.
    var canHop: Bool { world.cellular != .no || settings.testMode }

    /// As the server is told. A token of the operator needs no cellular connection, and `no` would leave Mobile Auth out.
    private var cellular: MobileNetworkAvailability {
        if settings.isSecondary { return .no }
        return world.cellular == .no && settings.steps.operatorToken != nil ? .unknown : world.cellular
    }

    /// A call that sends a message. One that fails is sent once more.
    func sendMessage(_ path: String, _ fields: JSONObject = [:]) async throws(Interruption) {
        do {
            try await calls.post(path, fields)
        } catch .refusal(let error) where error.name == .smsFailed {
            failedMessages += 1
            if failedMessages > 2 { throw .end(.givenUp(error)) }
            if failedMessages > 1 { throw .refusal(error) }
            try await calls.pause(seconds: 1)
            try await sendMessage(path, fields)
        } catch {
            throw error
        }
    }

    // MARK: steps

    /// Starts a step of the app.
    func begin<Value: Sendable>(
        _ step: (@escaping StepRunner.Answer<Value>) -> Cancellation
    ) throws(Interruption) -> Promise<Result<Value, any Error>> {
        stepsRun += 1
        if stepsRun > Self.mostSteps { throw calls.giveUp(.tooManySteps) }
        let answer = Promise<Result<Value, any Error>>()
        openSteps.append(step { answer.resolve($0) })
        return answer
    }

    /// Value that a step has given. If the step gave up, the run does.
    func given<Value>(_ result: Result<Value, any Error>) throws(Interruption) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let cause): throw calls.giveUp(.cancelled, cause: cause)
        }
    }

    func takeError() -> PossessionError? {
        defer { pendingError = nil }
        return pendingError
    }

    // MARK: the end

    private func leave(_ end: End) async throws {
        if case .broken(let error) = end { throw error }
        guard let calls else {
            if case .givenUp(let error) = end { throw error }
            return
        }
        if case .givenUp(let error) = end, calls.haveBegun, calls.newest?.isDone != true {
            await calls.cancel(reason: error.name == .cancelled ? "user" : error.name.rawValue)
        }
        if let finish = settings.steps.finish {
            let answer = Promise<Result<Void, any Error>>()
            _ = finish(calls.token.authID) { answer.resolve($0) }
            await anyOf([answer])
            try answer.value?.get()
        }
        // Not before: a run that is killed in its finish step, or whose finish step failed, can come here again.
        try? world.keys.forgetSession(calls.token.authID)
        if case .givenUp(let error) = end, calls.newest?.outcome != "succeeded" { throw error }
    }

    private func newError(_ name: ErrorName, cause: (any Error)? = nil) -> PossessionError {
        PossessionError(name, messages: settings.messages, cause: cause)
    }
}
