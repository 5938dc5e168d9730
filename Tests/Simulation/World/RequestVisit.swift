internal import StrictJSON

/// Begins a request by OTPLESS's calls, as a backend or as an app, and ends it by a code or by a link: with right and wrong
/// codes, also at the same time, with codes of links that were used, replaced or are another client's, and by questions that
/// move a code on to the next channel.
struct RequestVisit {
    let world: World

    /// RFC 7636 appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let page = "https://app.example/done"

    func run() {
        let number = "+1203444\(1000 + world.nextRequest() % 9000)"
        guard !world.requests.contains(where: { $0.number == number }) else { return }
        if !Sim.onceIn(4) { world.carrier.ways.draw(for: number) }
        guard let history = Sim.onceIn(2) ? beginAsApp(number) : begin(number) else { return }
        world.requests.append(history)
        world.figures.requests += 1
        if Sim.onceIn(2) { Sim.spawn("request racer") { act(history) } }
        act(history)
    }

    // MARK: Begin

    private func beginAsApp(_ number: String) -> RequestHistory? {
        guard let state = asked("GET", "/v2/state?appId=shop")?.json["state"]?.string else { return nil }
        let hasLink = Sim.onceIn(3)
        var intent: JSONObject = [
            "channel": hasLink ? "OTP_LINK" : "OTP", "mobile": .string(String(number.dropFirst())),
        ]
        if hasLink { intent.set("redirectURI", Self.page) }
        guard let reply = asked("POST", transaction("intent", state), intent),
            let id = reply.json["quantumLeap"]?.object?["asId"]?.string
        else { return nil }
        return RequestHistory(
            id: id, number: number, hasCode: true, hasLink: hasLink, hasVerifier: false, app: state)
    }

    private func begin(_ number: String) -> RequestHistory? {
        var order: JSONObject = ["phoneNumber": .string(number)]
        if Sim.onceIn(2) { order.set("channels", ["WHATSAPP", "VIBER", "SMS"]) }
        var (path, hasCode, hasLink) = ("/auth/v1/initiate/otp", true, false)
        switch Sim.draw(5) {
        case 0:
            (path, hasLink) = ("/auth/v1/initiate/otplink", true)
            order.set("redirectURI", Self.page)
        case 1:
            (path, hasCode, hasLink) = ("/auth/v1/initiate/magiclink", false, true)
            order.set("redirectURI", Self.page)
        case 2: return beginWithVerifier(number)
        case 3:
            path = "/auth/otp/v1/send"
            order = ["phoneNumber": .string(number), "channel": "ALL"]
        default: break
        }
        guard let reply = asked("POST", path, order),
            let id = (reply.json["requestId"] ?? reply.json["orderId"])?.string
        else { return nil }
        return RequestHistory(
            id: id, number: number, hasCode: hasCode, hasLink: hasLink, hasVerifier: false, app: nil)
    }

    private func beginWithVerifier(_ number: String) -> RequestHistory? {
        let query = [
            "client_id=shop", "client_secret=shop-secret", "redirect_uri=https%3A%2F%2Fapp.example%2Fdone",
            "mobile_number=%2B\(number.dropFirst())", "code_challenge=\(Self.challenge)", "code_challenge_method=S256",
        ].joined(separator: "&")
        guard let reply = asked("GET", "/auth/v1/authorize?\(query)"),
            let id = reply.json["requestIds"]?.array?.first?.object?["value"]?.string
        else { return nil }
        return RequestHistory(id: id, number: number, hasCode: false, hasLink: true, hasVerifier: true, app: nil)
    }

    private func transaction(_ call: String, _ state: String) -> String {
        "/v3/lp/user/transaction/\(call)/\(state)"
    }

    // MARK: Go on

    private func act(_ history: RequestHistory) {
        for _ in 0..<Sim.draw(3...8) {
            guard !history.isOver || Sim.onceIn(3) else { return }
            if let call = nextCall(history) {
                if Sim.onceIn(3) { Sim.spawn("same call") { repeated(call, history) } }
                repeated(call, history)
            }
            Sim.sleep(milliseconds: Sim.onceIn(3) ? Sim.draw(8_000) : Sim.draw(400))
        }
    }

    private func nextCall(_ history: RequestHistory) -> RequestHistory.Call? {
        let given = history.givenCodes
        if !given.isEmpty, Sim.onceIn(3) { return .redeem(code: given[given.count - 1], isOwn: !Sim.onceIn(3)) }
        switch Sim.draw(10) {
        case 0 where history.app == nil && history.hasCode: return .resend
        case 1 where history.hasCode: return .check(code: "2\(10_000 + Sim.draw(90_000))")
        case 2, 3: return .read
        case 4 where history.hasCode, 5 where history.hasCode:
            let codes = world.carrier.messages(of: history.id).compactMap(\.code)
            return codes.isEmpty ? .read : .check(code: Sim.pick(codes))
        case 6 where !given.isEmpty, 7 where !given.isEmpty:
            return .redeem(code: Sim.onceIn(3) ? Sim.pick(given) : given[given.count - 1], isOwn: !Sim.onceIn(3))
        default: return history.hasLink ? .tap : .read
        }
    }

    func repeated(_ call: RequestHistory.Call, _ history: RequestHistory) {
        for _ in 0..<3 {
            if once(call, history) != .nothing, !Sim.onceIn(10) { return }
            Sim.sleep(milliseconds: Sim.draw(1_500))
        }
    }

    @discardableResult
    func once(_ call: RequestHistory.Call, _ history: RequestHistory) -> RequestHistory.Told {
        let index = history.begin(call)
        guard let reply = ask(call, history) else { return .nothing }
        let told = told(reply, call, history)
        history.end(index, told)
        return told
    }

    private func ask(_ call: RequestHistory.Call, _ history: RequestHistory) -> Reply? {
        let id: JSONObject = ["requestId": .string(history.id)]
        switch (call, history.app) {
        case (.resend, _): return asked("POST", "/auth/otp/v1/resend", ["orderId": .string(history.id)])
        case (.read, let app?): return asked("GET", transaction("status", app))
        case (.read, nil): return asked("POST", "/auth/v1/status", id)
        case (.check(let code), let app?): return asked("POST", transaction("otp", app), ["otp": .string(code)])
        case (.check(let code), nil):
            var order = id
            order.set("otp", code)
            return asked("POST", "/auth/v1/verify/otp", order)
        case (.tap, _): return tap(history)
        case (.redeem(let code, let isOwn), let app):
            var order: JSONObject = ["code": .string(code)]
            // A wrong caller is another client, or comes with another verifier.
            let isOther = !isOwn && Sim.onceIn(2)
            if history.hasVerifier == (isOwn || isOther) { order.set("code_verifier", Self.verifier) }
            if let app, isOwn { return asked("POST", transaction("code", app), order) }
            return asked("POST", "/auth/v1/verify/code", order, client: isOther ? "bank" : "shop")
        }
    }

    private func tap(_ history: RequestHistory) -> Reply? {
        guard let link = world.carrier.messages(of: history.id).compactMap(\.link).last else { return nil }
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        if Sim.onceIn(2) {
            let looked = world.observe("GET /l", patience: World.patience) {
                caller.call("GET", "/l/\(link)", patience: World.patience)
            }
            world.promises.require(
                looked.reply?.location == nil, "who only looks at a link gets no code (\(history.id))")
        }
        return world.observe("POST /l", patience: World.patience) {
            caller.call(
                "POST", "/l/\(link)", Array("decision=approve".utf8), type: "application/x-www-form-urlencoded", nil,
                World.patience)
        }.reply
    }

    private func asked(
        _ method: String, _ path: String, _ body: JSONObject? = nil, client: String = "shop"
    ) -> Reply? {
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        if !path.hasPrefix("/v") { caller.fields = [("clientId", client), ("clientSecret", client + "-secret")] }
        // The path holds only the app's own state. The query holds a secret, so it is not shown.
        let shown = path.prefix { $0 != "?" }
        return world.observe("\(method) /otpless\(shown)", patience: World.patience) {
            caller.call(method, "/otpless" + path, body, patience: World.patience)
        }.reply
    }

    // MARK: What was told

    private func told(_ reply: Reply, _ call: RequestHistory.Call, _ history: RequestHistory) -> RequestHistory.Told {
        guard reply.status < 500 else { return .nothing }
        let code = reply.json["errorCode"]?.string
        if case .tap = call { return tapped(reply) }
        if case .redeem(_, let isOwn) = call { return redeemed(reply, isOwn, history) }
        if code == "7114" {
            // Its message was given back, or its time is over.
            world.promises.require(
                world.carrier.refused[history.id] != nil || world.hasSteppedFar,
                "a request that was acknowledged is known (\(history.id))")
            return .nothing
        }
        switch call {
        case .read: return read(reply, code, history)
        case .resend:
            return reply.status == 200 ? .done : code == "7022" ? .usedUp : reply.status == 429 ? .nothing : .over
        case .check:
            if reply.status == 200 { return .done }
            if reply.status == 429 { return .nothing }
            let isUsedUp = reply.json["description"]?.string?.hasPrefix("too many") == true
            return code == "7118" && !isUsedUp ? .refused : .over
        case .tap, .redeem: return .nothing
        }
    }

    private func tapped(_ reply: Reply) -> RequestHistory.Told {
        guard reply.status == 303, let location = reply.location,
            let mark = location.utf8.lastIndex(of: UInt8(ascii: "="))
        else { return .refused }
        world.promises.require(location.hasPrefix(Self.page + "?code="), "a link leads to its page")
        return .gave(code: String(location[location.index(after: mark)...]))
    }

    private func redeemed(_ reply: Reply, _ isOwn: Bool, _ history: RequestHistory) -> RequestHistory.Told {
        guard reply.status == 200 else { return reply.status == 429 ? .nothing : .refused }
        if history.app == nil {
            world.promises.require(
                reply.json["requestId"]?.string == history.id, "a code of a link ends its own request (\(history.id))")
        }
        if isOwn { world.figures.redeemed += 1 }
        return .done
    }

    private func read(_ reply: Reply, _ code: String?, _ history: RequestHistory) -> RequestHistory.Told {
        if code == "9106" { return .everythingFailed }
        guard reply.status == 200 else { return .nothing }
        let detail = reply.json["authDetail"]?.object ?? reply.json
        if detail["communicationDelivered"]?.bool == true { world.carrier.ways.arrived.insert(history.id) }
        switch detail["status"]?.string {
        case "PENDING": return .pending
        case "SUCCESS": return .succeeded
        default: return .declined
        }
    }
}
