import Foundation
import Holdfast

/// Servers and people without sense: whatever they do, a run ends, and keeps its limits. A seed draws everything.
func runChaos(token: String, now: Double, _ report: Report) async {
    for seed in UInt64(1)...300 {
        await attempt("chaos: seed \(seed)", report) { try await Chaos(seed, token: token, now: now).play() }
    }
}

private struct Dice: RandomNumberGenerator {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

@ClientActor
private final class Chaos {
    /// More than any run may do.
    private static let mostEvents = 3000
    private static let mostProtocolCalls = 40
    private static let mostSteps = 40
    private static let mostProofs = 3
    /// The time of its token, and that of its calls with all their repeats.
    private static let mostSeconds = 20.0 * 60 + 40 * (5 * 30 + 4 * 60)
    private static let turns = 60

    private let token: String
    private let authID: JSON
    private let began: Double
    /// A person who never answers a step.
    private let isMute: Bool
    /// Where a server without faults keeps the session for ever.
    private let steadyStep: String?
    private let clock: PlayedClock
    private var dice: Dice
    private var rev = 1.0
    private var events: [Event] = []
    /// Calls, hops and steps that nobody has answered so far.
    private var open: [Event] = []
    private var bodies: [String: Data] = [:]
    private var sent: [String: Int] = [:]
    private var steps: [String: Int] = [:]
    private var proofs: Set<String> = []
    private var newestPolled = -Double.infinity

    init(_ seed: UInt64, token: String, now: Double) {
        self.token = token
        authID = claims(ofToken: token)["sub"] ?? .null
        began = now
        clock = PlayedClock(now)
        isMute = seed.isMultiple(of: 10)
        steadyStep = isMute ? ["otpStart", "otpFinish", "linkStart", "linkWait", nil][Int(seed / 10) % 5] : nil
        dice = Dice(state: seed)
    }

    func play() async throws {
        let keys = platformKeys(vault: PlayedVault(), isLasting: dice.isOne(in: 2))
        let cellular: MobileNetworkAvailability = dice.isOne(in: 2) ? .yes : .no
        let world = PlayedWorld(clock: clock, keys: keys, cellular: cellular) { [weak self] in
            self?.events.append($0)
        }
        var settings = Settings()
        settings.steps = world.runner(
            of: ["finish", "otpStart", "otpFinish", "linkStart"] + (dice.isOne(in: 2) ? ["linkRetry"] : []))
        let client = PossessionClient(settings: settings, world: world)
        let going = client.begin(token)
        world.noticeEnd(of: going)
        for _ in 0..<Self.mostEvents {
            await settle()
            if events.isEmpty {
                try await goOn(world)
                continue
            }
            let event = events.removeFirst()
            if case .ends(let error) = event { return try await checkEnd(error) }
            try note(event)
            if case .step(let step) = event, isMute, step.name != "finish" { continue }
            if dice.isOne(in: 15) { open.append(event) } else { try answer(event) }
            if !isMute && dice.isOne(in: 300) { going.run.cancel() }
        }
        throw Failure("no end after \(Self.mostEvents) events")
    }

    private func settle() async {
        for _ in 0..<Self.turns where events.isEmpty { await Task.yield() }
    }

    /// Nothing happens: an answer comes late, the device wakes, or time passes.
    private func goOn(_ world: PlayedWorld) async throws {
        if !open.isEmpty && (clock.nextDue == nil || dice.isOne(in: 4)) {
            return try answer(open.remove(at: Int.random(in: 0..<open.count, using: &dice)))
        }
        if dice.isOne(in: 10) { world.wake() }
        if dice.isOne(in: 20) { clock.deviceOff += Double(Int.random(in: -7200...7200, using: &dice)) }
        if clock.nextDue == nil { await waitPatiently { clock.nextDue != nil || !events.isEmpty } }
        guard events.isEmpty else { return }
        guard let due = clock.nextDue else { throw Failure("it hangs") }
        clock.pass(max(0, due - clock.seconds))
    }

    // MARK: limits

    private func note(_ event: Event) throws {
        switch event {
        case .step(let step): steps[step.name == "finish" ? "finish" : "others", default: 0] += 1
        case .call(let request, _):
            try noteKind(request)
            guard let body = request.body, let id = try JSON(body)["requestId"]?.string else { return }
            if let known = bodies[id], known != body { throw Failure("a repeat has another body") }
            bodies[id] = body
            sent[id, default: 0] += 1
            // Once, four repeats, and one more after each refused proof: six in a run.
            if sent[id, default: 0] > 11 { throw Failure("the eleventh repeat of one call") }
        default: break
        }
        // The cancel is not counted.
        if bodies.count > Self.mostProtocolCalls + 1 { throw Failure("\(bodies.count) calls") }
        if steps["others", default: 0] > Self.mostSteps { throw Failure("\(steps["others", default: 0]) steps") }
        if steps["finish", default: 0] > 1 { throw Failure("the finish step is run twice") }
    }

    private func noteKind(_ request: HTTPRequest) throws {
        let after = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems?.first?.value
        if let rev = after.flatMap(Double.init) {
            if rev < newestPolled { throw Failure("it goes back to an older state") }
            newestPolled = rev
        }
        guard request.url.path.hasSuffix("/device"), let body = request.body else { return }
        proofs.insert(try JSON(body)["requestId"]?.string ?? "")
        if proofs.count > Self.mostProofs { throw Failure("\(proofs.count) device proofs") }
    }

    private func checkEnd(_ error: (any Error)?) async throws {
        let seconds = clock.seconds - began
        if seconds > Self.mostSeconds { throw Failure("it takes \(seconds) s") }
        if error == nil && steps["finish"] != 1 { throw Failure("it is done without a finish step") }
        for event in open { try answer(event) }
        for _ in 0..<Self.turns { await Task.yield() }
        if !events.isEmpty { throw Failure("it goes on after its end") }
        await waitPatiently { clock.count == 0 }
        if clock.count > 0 { throw Failure("\(clock.count) timers are left") }
    }

    // MARK: nonsense

    private func answer(_ event: Event) throws {
        switch event {
        case .call(_, let taken): taken(try callAnswer())
        case .hop(let url, let taken): taken(try hopAnswer(url))
        case .step(let step):
            let entries: [JSON] = [
                .null, "resend", "phone", .object(["otp": "1234"]), .object(["otp": "x"]),
                .object(["phoneNumber": "2001004014"]),
            ]
            step.give(dice.isOne(in: 25) ? "reject" : entries.randomElement(using: &dice) ?? .null)
        case .ends: break
        }
    }

    private func callAnswer() throws -> HTTPResponse? {
        switch steadyStep == nil ? Int.random(in: 0..<20, using: &dice) : 19 {
        case 0: return nil
        case 1: return HTTPResponse(status: 200, body: Data("<html>".utf8))
        case 2: return HTTPResponse(status: 200, body: Data(#"{"rev":"x","authId":7}"#.utf8))
        case 3...8:
            let statuses = [400, 401, 403, 409, 410, 422, 429, 500, 502, 503]
            let name = ErrorName.allCases.randomElement(using: &dice)?.rawValue ?? ""
            var body: [String: JSON] = ["error": .string(name)]
            if !dice.isOne(in: 3) { body["state"] = state() }
            let waits = ["0", "1", "30", "900", "soon"]
            let headers = dice.isOne(in: 3) ? ["Retry-After": waits.randomElement(using: &dice) ?? ""] : [:]
            return HTTPResponse(
                status: statuses.randomElement(using: &dice) ?? 500, headers: headers, body: try JSON.object(body).data)
        default:
            guard dice.isOne(in: 3), case .object(var body) = state() else {
                return HTTPResponse(status: 200, body: try state().data)
            }
            // Good for Mobile Auth, too.
            body["attemptId"] = "a"
            body["authUrl"] = "https://operator.example/a"
            return HTTPResponse(status: 200, body: try JSON.object(body).data)
        }
    }

    private func state() -> JSON {
        let actions = [
            "device", "mobileAuth", "mobileAuth.finish", "otp.start", "otp.verify", "otp.resend", "otp.phone",
            "link.start",
            "link.resend", "link.phone", "cancel",
        ]
        let steps = ["device", "mobileAuth", "otpStart", "otpFinish", "linkStart", "linkWait", "other"]
        rev += Double(Int.random(in: -1...2, using: &dice))
        let soon = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: began + 900))
        let expiresAt = steadyStep != nil || dice.isOne(in: 3) ? "9999-01-01T00:00:00Z" : soon
        let allowed = actions.filter { _ in !dice.isOne(in: 3) }.map { JSON.string($0) }
        return .object([
            "authId": steadyStep == nil && dice.isOne(in: 30) ? "another" : authID, "rev": .number(rev),
            "status": steadyStep == nil && dice.isOne(in: 40) ? "done" : "active", "expiresAt": .string(expiresAt),
            "step": .string(steadyStep ?? steps.randomElement(using: &dice) ?? ""), "allowed": .array(allowed),
            "phone": .object(["needed": .bool(dice.isOne(in: 2))]),
            "device": .object(["challenge": "c", "rotate": .bool(dice.isOne(in: 3))]),
            "otp": .object(["sendsLeft": .number(Double(Int.random(in: 0...2, using: &dice)))]),
        ])
    }

    private func hopAnswer(_ url: URL) throws -> HopAnswer {
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: return .lost
        case 1: return .noCellular
        case 2: return .response(HTTPResponse(status: 200, body: Data(#"{"vfp":"v"}"#.utf8)))
        default: return .response(HTTPResponse(status: 303, headers: ["Location": url.absoluteString]))
        }
    }
}
