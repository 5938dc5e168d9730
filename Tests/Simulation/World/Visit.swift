internal import StrictJSON
internal import Text

/// A person who proves a number by a code, with an app that loses answers, asks twice and gives up; and the app's backend.
struct Visit {
    let world: World
    let backend: Backend
    let number: String

    /// A call is given up after so long, and asked again.
    private static let patience = 4_000

    func run() {
        let tries = Sim.onceIn(3) ? 1 : 3
        let isLink = Sim.onceIn(4)
        guard let session = begin(tries: tries, isLink: isLink) else { return }
        let history = History(
            correlationID: session.correlationID, authID: session.authID, number: number, tries: tries,
            isLink: isLink)
        world.histories.append(history)
        world.figures.sessions += 1
        let app = AppCaller(world: world, history: history, token: session.token)
        guard app.repeated(.start) != nil else { return }
        guard app.repeated(.sendFirst) != nil else { return }
        // Another window of the same person, or somebody who has the token.
        if Sim.onceIn(3) {
            let second = AppCaller(world: world, history: history, token: session.token)
            Sim.spawn("racer") { act(second) }
        }
        act(app)
        backend.note(history)
        if let outcome = history.outcome, outcome == "succeeded" { world.figures.successes += 1 }
    }

    private func act(_ app: AppCaller) {
        for _ in 0..<Sim.draw(2...6) {
            guard app.history.outcome == nil || Sim.onceIn(3) else { return }
            Sim.sleep(milliseconds: Sim.onceIn(6) ? Sim.draw(8_000) : Sim.draw(400))
            switch Sim.draw(10) {
            case 0: _ = app.repeated(.resend(requestID: app.requestID()))
            case 1: _ = app.repeated(.read)
            case 2 where Sim.onceIn(3): _ = app.repeated(.cancel)
            case 3, 4: _ = app.repeated(.verify(code: wrongCode(), requestID: app.requestID()))
            case 5: backend.note(app.history)
            case 6: _ = app.repeated(.sendFirst)
            default:
                let messages = world.carrier.messages(of: app.history.correlationID)
                if app.history.isLink {
                    guard let link = Sim.onceIn(5) ? messages.first?.link : messages.last?.link else { continue }
                    app.phone.decide(link, approves: !Sim.onceIn(3))
                    continue
                }
                guard let code = messages.last?.code else { continue }
                _ = app.repeated(.verify(code: code, requestID: app.requestID()))
            }
        }
    }

    private func wrongCode() -> String {
        let digits = String(Sim.draw(1_000_000))
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private struct Session {
        let correlationID: String
        let authID: String
        let token: String
    }

    private func begin(tries: Int, isLink: Bool) -> Session? {
        var order: JSONObject = [
            "phoneNumber": .string(number), "possessionType": isLink ? "desktop" : "mobile",
            "clientRequestId": .string("r\(world.figures.calls)"), "allowOTPRetry": .bool(tries > 1),
        ]
        if isLink { order.set("finalTargetUrl", "https://app.example/done") }
        for _ in 0..<4 {
            let (latestTold, wall) = (world.latestTold, Sim.wallMilliseconds)
            guard let reply = backend.post("/v3/unify", order), reply.status == 200,
                let correlationID = reply.json["correlationId"]?.string, let token = reply.json["authToken"]?.string
            else {
                Sim.sleep(milliseconds: Sim.draw(1_500))
                continue
            }
            let claims = Visit.claims(of: token)
            let (issue, expiry) = (claims["iat"]?.integer ?? .max, claims["exp"]?.integer ?? 0)
            world.promises.require(
                expiry >= latestTold,
                "the time told never runs back: a token until \(expiry) after one until \(latestTold)")
            world.promises.require(
                issue <= max(wall, Sim.wallMilliseconds) / 1000,
                "a token is valid at once by the machine's clock: \(issue)")
            world.latestTold = max(world.latestTold, expiry)
            return Session(correlationID: correlationID, authID: claims["sub"]?.string ?? "", token: token)
        }
        return nil
    }

    /// Claims of a token.
    private static func claims(of token: String) -> JSONObject {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let claims = Base64URL.decode(String(parts[1])) else { return [:] }
        return (try? JSONObject.parse(claims)) ?? [:]
    }
}

/// The app: a caller of one session, who asks again what was not answered.
struct AppCaller {
    let world: World
    let history: History
    let token: String
    private let caller = HTTPCaller(address: UInt8(Sim.draw(250)))

    init(world: World, history: History, token: String) {
        self.world = world
        self.history = history
        self.token = token
    }

    /// The phone of the same person.
    var phone: PhoneCaller { PhoneCaller(world: world, history: history) }

    func requestID() -> String { "q\(world.nextRequest())" }

    /// The answer; `nil` after some tries without one.
    func repeated(_ call: History.Call) -> Reply? {
        for _ in 0..<4 {
            let index = history.begin(call)
            let answer = once(call)
            history.end(index, answer, world.promises, world.carrier)
            if let reply = answer.reply, reply.status < 500 {
                // Now and then the answer is lost on the last bit of its way, and asked for once more.
                if Sim.onceIn(12) { continue }
                return reply
            }
            Sim.sleep(milliseconds: Sim.draw(1_500))
        }
        return nil
    }

    private func once(_ call: History.Call) -> Answer {
        let path = "/client/v1/session"
        let message = history.isLink ? "/link" : "/otp"
        switch call {
        case .start:
            return ask(
                "POST", path,
                [
                    "platform": "web", "sdk": "simulation/1",
                    "fallback": history.isLink ? "link" : "otp", "deviceKey": false, "cellular": "no",
                ])
        case .sendFirst: return ask("POST", path + message, [:])
        case .resend(let id): return ask("POST", path + message + "/resend", ["requestId": .string(id)])
        case .verify(let code, let id):
            return ask("POST", path + "/otp/verify", ["code": .string(code), "requestId": .string(id)])
        case .cancel: return ask("POST", path + "/cancel", [:])
        case .read, .status, .decide: return ask("GET", path, nil)
        }
    }

    private func ask(_ method: String, _ path: String, _ body: JSONObject?) -> Answer {
        // Some give up early, and their connection with it.
        let patience = Sim.onceIn(20) ? Sim.draw(1...300) : World.patience
        return world.observe(method + " " + path, patience: patience) {
            caller.call(method, path, body, bearer: token, patience: patience)
        }
    }
}

/// The phone that a link was sent to: opens it, and decides.
struct PhoneCaller {
    let world: World
    let history: History

    func decide(_ link: String, approves: Bool) {
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        let form = Array("decision=\(approves ? "approve" : "deny")".utf8)
        for _ in 0..<3 {
            if Sim.onceIn(3) {
                _ = world.observe("GET /l", patience: World.patience) {
                    caller.call("GET", "/l/\(link)", patience: World.patience)
                }
            }
            let index = history.begin(.decide(link: link, approves: approves))
            let answer = world.observe("POST /l", patience: World.patience) {
                caller.call(
                    "POST", "/l/\(link)", form, type: "application/x-www-form-urlencoded", nil, World.patience)
            }
            history.end(index, answer, world.promises, world.carrier)
            if let status = answer.status, status < 500, !Sim.onceIn(10) { return }
            Sim.sleep(milliseconds: Sim.draw(1_000))
        }
    }
}
