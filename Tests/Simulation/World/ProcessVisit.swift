internal import StrictJSON

/// A person starts a process of onboarding, or goes on with theirs, shows right and wrong codes, also at the same time, and
/// gets keys for their phone, which then signs.
struct ProcessVisit {
    let world: World

    func run() {
        guard let history = start(Sim.pick(world.directory.people)) else { return }
        if Sim.onceIn(3) { Sim.spawn("other phone") { act(history) } }
        act(history)
    }

    // MARK: Start

    private func start(_ person: Person) -> ProcessHistory? {
        let began = Sim.now
        let identification: JSONObject = ["clientNumber": .string(person.clientNumber)]
        let reply = asked("/api/onboarding/start", ["identification": .object(identification)])
        guard let reply, reply.status == 200, let id = reply.answered["processId"]?.string else {
            person.unansweredStarts.append(began)
            return nil
        }
        let history = world.process(id, of: person, began: began)
        world.promises.require(history.person === person, "a process is one person's (\(id))")
        history.add(.start, began: began, .activating)
        guard !world.directory.missed.contains(person.clientNumber) else { return history }
        for other in world.processes
        where other.person === person && other !== history && other.known < began && !other.isReplaced {
            other.isReplaced = true
            other.add(.replace, began: began, .over)
        }
        return history
    }

    // MARK: Go on

    private func act(_ history: ProcessHistory) {
        for _ in 0..<Sim.draw(3...8) {
            guard !world.isEnding, !history.isOver || Sim.onceIn(3) else { return }
            if let call = nextCall(history) {
                if Sim.onceIn(4) { Sim.spawn("same call") { repeated(call, history) } }
                repeated(call, history)
            } else {
                _ = start(history.person)
            }
            Sim.sleep(milliseconds: Sim.onceIn(8) ? Sim.draw(8_000) : Sim.draw(400))
        }
    }

    /// `nil`: the same person says the same again.
    private func nextCall(_ history: ProcessHistory) -> ProcessHistory.Call? {
        switch Sim.draw(14) {
        case 0: return nil
        case 1, 2:
            // From one code to the next it takes 30 seconds.
            if Sim.onceIn(2) { Sim.sleep(milliseconds: 31_000) }
            return .resend
        case 3, 4: return .activate(code: "2\(1_000_000 + Sim.draw(9_000_000))")
        case 5:
            let others = world.processes.filter { $0 !== history }.flatMap { world.carrier.messages(of: $0.id) }
            let codes = others.compactMap(\.code)
            return codes.isEmpty ? .read : .activate(code: Sim.pick(codes))
        case 6: return Sim.onceIn(2) ? .broken : .malformed
        case 7: return Sim.onceIn(3) ? .cleanUp : .read
        case 8: return .read
        default:
            let codes = world.carrier.messages(of: history.id).compactMap(\.code)
            guard let newest = codes.last else { return .read }
            return .activate(code: Sim.onceIn(4) ? Sim.pick(codes) : newest)
        }
    }

    func repeated(_ call: ProcessHistory.Call, _ history: ProcessHistory) {
        for _ in 0..<3 {
            if once(call, history) != .nothing, !Sim.onceIn(10) { return }
            Sim.sleep(milliseconds: Sim.draw(1_500))
        }
    }

    @discardableResult
    func once(_ call: ProcessHistory.Call, _ history: ProcessHistory) -> ProcessHistory.Told {
        let index = history.begin(call)
        guard let reply = ask(call, history) else { return .nothing }
        let told = told(reply, call, history)
        history.end(index, told)
        if case .made(let id) = told { made(id, reply) }
        return told
    }

    private func ask(_ call: ProcessHistory.Call, _ history: ProcessHistory) -> Reply? {
        let process: JSONObject = ["processId": .string(history.id)]
        switch call {
        case .resend: return asked("/api/onboarding/otp/resend", process)
        case .cleanUp: return asked("/api/onboarding/cleanup", process)
        case .start, .replace, .read: return asked("/api/onboarding/status", process)
        case .activate(let code): return order(code, SimulatedPhone.publicKey, history)
        case .malformed: return order("letters", SimulatedPhone.publicKey, history)
        case .broken:
            let code = world.carrier.messages(of: history.id).compactMap(\.code).last
            return order(code ?? "00000000", SimulatedPhone.brokenKey, history)
        }
    }

    private func order(_ code: String, _ key: String, _ history: ProcessHistory) -> Reply? {
        asked(
            "/pa/v3/activation/create",
            [
                "type": "CUSTOM",
                "identityAttributes": .object([
                    "processId": .string(history.id), "otpCode": .string(code), "credentialsType": "ONBOARDING",
                ]),
                "activationData": .object(["devicePublicKey": .string(key), "activationName": "A phone"]),
            ])
    }

    private func asked(_ path: String, _ object: JSONObject) -> Reply? {
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        return world.observe("POST \(path)", patience: World.patience) {
            caller.call("POST", path, ["requestObject": .object(object)], patience: World.patience)
        }.reply
    }

    // MARK: What was told

    private func told(
        _ reply: Reply, _ call: ProcessHistory.Call, _ history: ProcessHistory
    ) -> ProcessHistory.Told {
        guard reply.status < 500, reply.status != 429 else { return .nothing }
        let (answer, code) = (reply.answered, reply.answered["code"]?.string)
        let reason = answer["message"]?.string ?? ""
        if code == "ONBOARDING_FAILED", reason.hasPrefix("there is no such process") {
            world.promises.require(
                world.carrier.refused[history.id] != nil || world.hasSteppedFar,
                "a process that was acknowledged is known (\(history.id))")
            return .nothing
        }
        let triesLeft = (reply.json["remainingAttempts"]?.integer).map { Int($0) }
        switch call {
        case .start, .replace, .read:
            switch answer["onboardingStatus"]?.string {
            case "ACTIVATION_IN_PROGRESS": return .activating
            case "FINISHED": return .finished
            case "FAILED": return .failed
            default: return .nothing
            }
        case .resend:
            if reply.status == 200 { return .done }
            return code == "ONBOARDING_FAILED"
                ? .over : reason.hasPrefix("the last code is too new") ? .tooSoon : .nothing
        case .cleanUp: return reply.status == 200 ? .done : .nothing
        case .activate, .malformed:
            if reply.status == 200, let id = answer["activationId"]?.string { return .made(activation: id) }
            return triesLeft.map { .refused(triesLeft: $0) } ?? .nothing
        case .broken: return reason.contains("is no point") ? .brokenOrder : .nothing
        }
    }

    /// The phone has its keys, and calls with them.
    private func made(_ id: String, _ reply: Reply) {
        let answer = reply.answered
        guard
            let phone = SimulatedPhone(
                activationID: id, serverKey: answer["serverPublicKey"]?.string ?? "",
                counter: answer["ctrData"]?.string ?? "")
        else { return world.promises.broken("an activation has keys (\(id))") }
        let history = ActivationHistory(phone)
        world.activations.append(history)
        for _ in 0..<Sim.draw(1...2) { Sim.spawn("phone") { ActivationVisit(world: world, history: history).run() } }
    }
}

extension Reply {
    /// The members of an answer of onboarding.
    var answered: JSONObject { json["responseObject"]?.object ?? JSONObject() }
}
