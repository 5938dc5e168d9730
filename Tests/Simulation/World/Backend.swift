internal import StrictJSON

/// The backend of an API client: keeps an access token, and asks for another when that is refused.
final class Backend {
    let id: String
    private let secret: String
    private let world: World
    /// Connections that nobody uses just now.
    private var idle: [HTTPCaller] = []
    private var token: (text: String, life: Int, wall: Int64)?
    /// When the operator's order to revoke it was acknowledged.
    var revokedAt: UInt64?

    init(_ id: String, secret: String, world: World) {
        self.id = id
        self.secret = secret
        self.world = world
    }

    /// `nil`: no answer that tells anything.
    func post(_ path: String, _ order: JSONObject) -> Reply? {
        guard let token = accessToken() else { return nil }
        let began = Sim.now
        let answer = world.observe("POST \(path)", patience: World.patience) {
            withCaller { $0.call("POST", path, order, bearer: token, patience: World.patience) }
        }
        guard let reply = answer.reply else { return nil }
        if let revokedAt, began > revokedAt {
            world.promises.require(
                reply.status == 401 || reply.status >= 500, "a revoked client is refused, and got \(reply.status)")
        } else if reply.status == 401, revokedAt == nil, !isRevokedSoon {
            let isOld = abs(Sim.wallMilliseconds - (self.token?.wall ?? 0)) > 3_000_000 || world.hasSteppedFar
            world.promises.require(isOld, "an access token holds for an hour, over restarts too")
            self.token = nil
        }
        return reply
    }

    /// An order to revoke it is on its way.
    var isRevokedSoon = false

    /// The one it has, or a new one; `nil`: it got none.
    func accessToken() -> String? {
        if let token { return token.text }
        let form = "grant_type=client_credentials&client_id=\(id)&client_secret=\(secret)"
        let began = Sim.now
        let answer = world.observe("POST /token", patience: World.patience) {
            withCaller {
                $0.call(
                    "POST", "/token", Array(form.utf8), type: "application/x-www-form-urlencoded", nil, World.patience)
            }
        }
        guard let reply = answer.reply else { return nil }
        if let revokedAt, began > revokedAt {
            world.promises.require(reply.status != 200, "a revoked client gets no token")
        }
        guard reply.status == 200, let text = reply.json["access_token"]?.string else { return nil }
        token = (text, world.lives, Sim.wallMilliseconds)
        return text
    }

    private func withCaller(_ call: (HTTPCaller) -> Answer) -> Answer {
        let caller = idle.popLast() ?? HTTPCaller(address: 251)
        defer { idle.append(caller) }
        return call(caller)
    }

    /// Looks at a session as the backend may.
    func note(_ history: History) {
        let index = history.begin(.status)
        guard let reply = post("/v3/unify-status", ["correlationId": .string(history.correlationID)]),
            reply.status == 200
        else { return }
        history.end(index, .came(reply), world.promises, world.carrier)
    }
}
