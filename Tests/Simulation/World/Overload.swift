internal import Machine
internal import StrictJSON

/// More calls than a slow disk can store, from callers who give up after a second (OVL-02).
///
/// What is answered in time is compared with what the same server does for as many callers as it can serve.
struct Overload {
    let world: World
    let backend: Backend

    private static let callersAtPeak = 16
    private static let patience: UInt64 = 1_000_000_000
    /// Share of the server's best rate that must be left under four times the load.
    private static let leastShare = 0.5

    init(_ world: World, _ backend: Backend) {
        self.world = world
        self.backend = backend
    }

    func run() {
        guard let token = backend.accessToken() else { return }
        var faults = machine_faults()
        faults.sync_least_us = 40_000
        faults.sync_most_us = 50_000
        machine_set_faults(faults)
        world.calmSince = nil
        if Sim.onceIn(2) { world.readFromOutside(seconds: 120) }
        let peak = rate(perSecond: nil, seconds: 2, token)
        let offered = Int(peak * 4)
        let useful = rate(perSecond: offered, seconds: 4, token)
        Sim.note("overload: \(offered) a second are asked, \(Int(useful)) of \(Int(peak)) are answered in time")
        world.promises.require(
            useful >= peak * Overload.leastShare,
            "under overload half of the best rate is answered in time: \(Int(useful)) of \(Int(peak)) a second")
        Sim.sleep(milliseconds: 3_000)
    }

    private final class Asking {
        let caller = HTTPCaller(address: UInt8(Sim.draw(250)))
        var since: UInt64 = 0
    }

    /// Useful answers a second.
    /// - Parameter perSecond: calls a second, whether or not earlier ones were answered; `nil`: each caller asks again
    ///   when it has its answer.
    private func rate(perSecond: Int?, seconds: Int, _ token: String) -> Double {
        let (began, length) = (Sim.now, UInt64(seconds) * 1_000_000_000)
        var idle: [Asking] = perSecond == nil ? (0..<Overload.callersAtPeak).map { _ in Asking() } : []
        var busy: [Asking] = []
        var (asked, useful) = (0, 0)
        while Sim.now < began + length {
            let due = perSecond.map { Int(Sim.now - began) * $0 / 1_000_000_000 - asked } ?? idle.count
            for _ in 0..<max(0, due) {
                let asking = idle.popLast() ?? Asking()
                asking.since = Sim.now
                asked += 1
                if ask(asking, token) { busy.append(asking) } else { idle.append(asking) }
            }
            Sim.sleep(milliseconds: 5)
            var waiting: [Asking] = []
            for asking in busy {
                switch asking.caller.poll() {
                case .came(let reply):
                    if reply.status == 200 { useful += 1 }
                    idle.append(asking)
                case .late where Sim.now - asking.since < Overload.patience: waiting.append(asking)
                case .late, .lost, .refused:
                    asking.caller.hangUp()
                    idle.append(asking)
                }
            }
            busy = waiting
        }
        world.figures.calls += asked
        world.figures.answers += useful
        for asking in busy { asking.caller.hangUp() }
        return Double(useful) / Double(seconds)
    }

    private func ask(_ asking: Asking, _ token: String) -> Bool {
        let order: JSONObject = [
            "phoneNumber": .string("+1201555\(2000 + Sim.draw(500))"), "possessionType": "mobile",
            "clientRequestId": .string("o\(world.nextRequest())"),
        ]
        return asking.caller.send(
            "POST", "/v3/unify", order.serialized(), type: "application/json", "Bearer \(token)")
    }
}
