internal import StrictJSON

/// The person who runs the server, by commands on its local socket.
struct Operator {
    let world: World

    init(_ world: World) { self.world = world }

    func rotateKeys() { order("/control/keys/rotate", [:]) }

    /// From the acknowledgement on the client is refused, whatever happens to the server.
    func revoke(_ backend: Backend) {
        backend.isRevokedSoon = true
        if order("/control/clients/\(backend.id)/revoke", [:])?.status == 200, backend.revokedAt == nil {
            backend.revokedAt = Sim.now
        }
    }

    /// Fills the log faster than callers do.
    func importPeople() {
        let street = String(repeating: "Long Street ", count: 8)
        for _ in 0..<2 {
            let people = (0..<400).map { _ -> JSONValue in
                .object([
                    "phoneNumber": .string("+1202555\(1000 + Sim.draw(9000))"), "firstName": "Ada", "lastName": "Byron",
                    "addresses": .array([
                        .object(["address": .string(street), "city": "London", "region": "LN", "postalCode": "1"])
                    ]),
                ])
            }
            order("/control/people", ["people": .array(people)])
        }
    }

    /// Sessions of the number are gone for good once that is acknowledged.
    func erase(_ number: String) {
        markErased(number)
        order("/control/people/erase", ["phoneNumber": .string(number)])
        // Those that began meanwhile may be gone too.
        markErased(number)
    }

    private func markErased(_ number: String) {
        for history in world.histories where history.number == number { history.mayBeErased = true }
    }

    @discardableResult
    private func order(_ path: String, _ body: JSONObject) -> Reply? {
        let caller = HTTPCaller(.local(World.folder + "/control.sock"))
        return world.observe("POST \(path)", patience: 20_000) {
            caller.call("POST", path, body, patience: 20_000)
        }.reply
    }
}
