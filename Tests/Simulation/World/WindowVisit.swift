internal import StrictJSON

/// Calls of a backend about one number, with their times and answers.
final class WindowHistory {
    enum Call: Hashable {
        case create(code: String)
        case check(code: String)
    }

    enum Told: Hashable {
        /// No answer, or one that leaves open whether the call was carried out.
        case nothing
        /// - id: `nil` in what a call was told whose answer was lost.
        case sent(id: String?, isFirst: Bool)
        case success, failure, gone, tooMany

        /// Whether it is told again by an answer that came.
        func isRepeated(by other: Told) -> Bool {
            if case .sent(nil, let isFirst) = self, case .sent(_, isFirst) = other { return true }
            return self == other
        }
    }

    struct Operation: TimedOperation {
        let call: Call
        /// The same for a call that is made again.
        let name: String
        let began: UInt64
        var ended = UInt64.max
        var told = Told.nothing

        var line: String {
            let end = ended == .max ? "-" : "\(ended / 1_000_000)"
            return "\(began / 1_000_000) to \(end) \(call) \(name) told \(told)"
        }
    }

    let number: String
    let began = Sim.now
    private(set) var operations: [Operation] = []

    init(number: String) { self.number = number }

    func begin(_ call: Call, _ name: String) -> Int {
        operations.append(Operation(call: call, name: name, began: Sim.now))
        return operations.count - 1
    }

    func end(_ index: Int, _ told: Told) {
        guard told != .nothing else { return }
        operations[index].ended = Sim.now
        operations[index].told = told
    }
}

/// A backend that verifies a number by Prelude's calls: it sends codes of its own, checks right and wrong ones, also at the
/// same time, and makes a call again that was not answered.
struct WindowVisit {
    let world: World

    func run() {
        let history = WindowHistory(number: "+1202444\(1000 + world.nextRequest() % 9000)")
        guard !world.windows.contains(where: { $0.number == history.number }) else { return }
        world.windows.append(history)
        world.figures.windows += 1
        if Sim.onceIn(2) { Sim.spawn("window racer") { act(history) } }
        act(history)
    }

    private func act(_ history: WindowHistory) {
        let caller = HTTPCaller(address: 250)
        for _ in 0..<Sim.draw(3...9) {
            let codes = history.operations.compactMap { operation -> String? in
                if case .create(let code) = operation.call { code } else { nil }
            }
            let call: WindowHistory.Call
            switch Sim.draw(6) {
            case 0, 1: call = .create(code: "1\(10_000 + world.nextRequest() % 90_000)")
            case 2: call = .check(code: "2\(10_000 + Sim.draw(90_000))")
            default: call = codes.isEmpty ? .create(code: "100000") : .check(code: Sim.pick(codes))
            }
            repeated(call, history, caller)
            Sim.sleep(milliseconds: Sim.onceIn(6) ? Sim.draw(5_000) : Sim.draw(300))
        }
    }

    private func repeated(_ call: WindowHistory.Call, _ history: WindowHistory, _ caller: HTTPCaller) {
        let name = "n\(world.nextRequest())"
        for _ in 0..<4 {
            let index = history.begin(call, name)
            let told = once(call, name, history.number, caller)
            history.end(index, told)
            if told != .nothing, !Sim.onceIn(10) { return }
            Sim.sleep(milliseconds: Sim.draw(1_500))
        }
    }

    private func once(
        _ call: WindowHistory.Call, _ name: String, _ number: String, _ caller: HTTPCaller
    ) -> WindowHistory.Told {
        var order: JSONObject = ["target": .object(["type": "phone_number", "value": .string(number)])]
        var path = "/prelude/v2/verification"
        switch call {
        case .create(let code): order["options"] = .object(["custom_code": .string(code)])
        case .check(let code):
            order.set("code", code)
            path += "/check"
        }
        let body = order
        let answer = world.observe("POST \(path)", patience: World.patience) {
            caller.call("POST", path, body, bearer: "hf_test_shop", name: name, patience: World.patience)
        }
        return answer.reply.map { told($0, call) } ?? .nothing
    }

    private func told(_ reply: Reply, _ call: WindowHistory.Call) -> WindowHistory.Told {
        if reply.status == 429 {
            let code = reply.json["code"]?.string
            return code == "too_many_attempts" || code == "too_many_checks" ? .tooMany : .nothing
        }
        guard reply.status == 200 else {
            world.promises.require(reply.status >= 500, "a backend's call is answered 200, 429 or 5xx: \(reply.status)")
            return .nothing
        }
        let status = reply.json["status"]?.string ?? ""
        switch (call, status) {
        case (.create, "success"), (.create, "retry"):
            return .sent(id: reply.json["id"]?.string, isFirst: status == "success")
        case (.check, "success"): return .success
        case (.check, "failure"): return .failure
        case (.check, "expired_or_not_found"): return .gone
        default:
            world.promises.broken("a backend's call has a status of its own: \(status)")
            return .nothing
        }
    }
}
