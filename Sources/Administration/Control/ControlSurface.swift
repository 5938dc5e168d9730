package import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text
internal import Tokens

/// Takes the orders of an operator's commands on a running server, over a local socket that only the server's user can
/// open.
///
///     GET  /control/clients
///     POST /control/clients                {"id":"shop","mobileAuth":true}  ->  201 {"id":"shop","secret":"..."}
///     POST /control/clients/{id}/update    {"displayName":"Shop","messageHost":null}  ->  200, the client
///     POST /control/clients/{id}/secret    {"overlapHours":24}  ->  200 {"id":"shop","secret":"...","oldSecretUntil":"..."}
///     POST /control/clients/{id}/hook-secret   ->  200 {"id":"shop","secret":"...","signingSecret":"v1,whsec_..."}
///     POST /control/clients/{id}/revoke
///     POST /control/clients/{id}/keys      {"kind":"api","name":"checkout"}: `APIKeyOrder`
///     GET  /control/clients/{id}/keys
///     POST /control/api-keys/{id}/revoke
///     POST /control/clients/{id}/app-keys  ->  201 {"applicationKey":"...","applicationSecret":"...", ...}: `ApplicationKeyOrder`
///     GET  /control/clients/{id}/app-keys
///     POST /control/clients/{id}/app-keys/rotate  {"overlapDays":90}
///     POST /control/clients/{id}/app-keys/export
///     GET  /control/keys
///     POST /control/keys/rotate
///     GET  /control/keys/status
///     POST /control/keys/master            {"newKeyFile":"/run/secrets/master-2.key"}: `KeysetOrder`
///     POST /control/keys/sealing
///     POST /control/people                 {"people":[{"phoneNumber":"+12015550123",...}]}  ->  {"new":1,"replaced":0}
///     POST /control/people/list            {"after":"...","limit":100}
///     POST /control/people/erase           {"phoneNumber":"+12015550123","clientId":"shop"}
///     POST /control/numbers/show           {"phoneNumber":"+12015550123"}  ->  {"checks":[{"limit":"wrong_codes",...}]}
///     POST /control/numbers/explain        {"phoneNumber":"+12015550123"}  ->  {"explanation":[{"limit":"...",...},...]}
///     POST /control/numbers/unlock         {"phoneNumber":"+12015550123"}  ->  {"forgotten":1}
///     POST /control/devices/list           {"clientId":"shop","limit":100}: `DeviceOrder`
///     POST /control/devices/{id}/block     also `unblock`, `remove`
///     GET  /control/testnumbers
///     POST /control/testnumbers            {"phoneNumber":"+12015550123","code":"123456","days":30,"clientId":"shop"}
///     POST /control/testnumbers/remove     {"phoneNumber":"+12015550123"}
///     GET  /control/audit                  ->  {"before":0,"beforeHash":"00...","last":17,"lastHash":"...","authentic":true}
///     POST /control/audit                  {"after":0,"limit":500}  ->  {"lines":["{...}",...]}
///     POST /control/backups                {"bytes":1048576,"rows":4711}: tells the audit log of a backup
///     POST /control/webhooks/{verb}        {"endpoint":"we_...","client":"shop", ...}: `WebhookOrder`
///
/// A command without a running server calls `answer` on a store that it opened itself.
package struct ControlSurface: Sendable {
    let administrator: Administrator

    /// Called after every order that changed something.
    private let note: @Sendable (OperatorAct) -> Void

    package init(_ administrator: Administrator, note: @escaping @Sendable (OperatorAct) -> Void = { _ in }) {
        self.administrator = administrator
        self.note = note
    }

    /// Every order.
    private static let orders: [any Order.Type] = [
        SavePeople.self, ListPeople.self, EraseNumber.self,
        ShowNumber.self, ExplainNumber.self, UnlockNumber.self,
        ShowGuard.self, OpenPrefix.self, ClosePrefix.self, ResetSpending.self,
        ListTestNumbers.self, AddTestNumber.self, RemoveTestNumber.self,
        ListDevices.self, BlockDevice.self, UnblockDevice.self, RemoveDevice.self,
        ShowAuditEnds.self, ListAudit.self, NoteBackup.self,
    ]

    private func route<O: Order>(_ order: O.Type) -> Route {
        let call = O.call
        return Route(call.method == .get ? .get : .post, call.path) { request in
            do throws(Administrator.Refusal) {
                return await answer(try call.read(request.body, id: request.parameters["id"]), request.id).response
            } catch { return OrderAnswer(error).response }
        }
    }

    package var routes: [Route] {
        [
            Route(.get, "/control/clients") { _ in await answer(.listClients).response },
            Route(.post, "/control/clients") { request in
                guard let order = ControlOrder.addClient(request.body) else { return OrderAnswer.malformed.response }
                return await answer(order, request.id).response
            },
            client("update", ControlOrder.updateClient),
            client("secret", ControlOrder.rotateSecret),
            client("hook-secret") { id, _ in .showHookSecret(id) },
            client("revoke") { id, _ in .revokeClient(id) },
            Route(.get, "/control/keys") { _ in await answer(.listKeys).response },
            Route(.post, "/control/keys/rotate") { await answer(.rotateKeys, $0.id).response },
        ] + apiKeyRoutes + applicationKeyRoutes + keysetRoutes + webhookRoutes
            + Self.orders.map { route($0) }
    }

    func client(_ what: String, _ read: @escaping @Sendable (ClientID, [UInt8]) -> ControlOrder?) -> Route {
        Route(.post, "/control/clients/{id}/\(what)") { request in
            guard let id = request.parameters["id"].flatMap({ ClientID($0) }) else {
                return OrderAnswer.refused(404, "no such client").response
            }
            guard let order = read(id, request.body) else { return OrderAnswer.malformed.response }
            return await answer(order, request.id).response
        }
    }

    /// - Parameter requestID: the id of the request with the order; `nil`: the order came without a request.
    func answer(_ order: ControlOrder, _ requestID: String? = nil) async -> OrderAnswer {
        guard let act = OperatorAct(order) else { return await carryOut(order) }
        let entry = act.entry(at: administrator.now(), requestID: requestID)
        let answer = await administrator.audit.recording(
            entry, result: { $0.status < 300 ? .done : $0.status < 500 ? .refused : .failed }
        ) {
            await carryOut(order)
        }
        if answer.status < 300 { note(act) }
        return answer
    }

    /// Carries out an order, and records it if it changes something. Its entry of the audit log is stored in the
    /// transaction of the change.
    /// - Parameter requestID: the id of the request with the order; `nil`: the order came without a request.
    func answer<O: Order>(_ order: O, _ requestID: String? = nil) async -> OrderAnswer {
        guard let act = order.act else { return await carryOut(order) }
        let entry = act.entry(at: administrator.now(), requestID: requestID)
        let answer = await administrator.audit.recording(
            entry, result: { $0.isDone ? .done : $0.status < 500 ? .refused : .failed }
        ) {
            await carryOut(order)
        }
        if answer.isDone { note(act) }
        return answer
    }

    private func carryOut<O: Order>(_ order: O) async -> OrderAnswer {
        do throws(Administrator.Refusal) {
            return OrderAnswer(status: O.call.status, object: O.reply.object(try await order.respond(administrator)))
        } catch { return OrderAnswer(error) }
    }

    private func carryOut(_ order: ControlOrder) async -> OrderAnswer {
        do {
            switch order {
            case .listClients: return OrderAnswer(200, ["clients": .array(try await clients())])
            case .addClient(let id, let rules, let secret):
                let client = try await administrator.addClient(id, rules: rules, secret: secret)
                return OrderAnswer(201, ["id": .string(client.id.text), "secret": .string(client.secret.text)])
            case .updateClient(let id, let members):
                return OrderAnswer(200, Self.object(try await administrator.updateClient(id, members)))
            case .rotateSecret(let id, let change):
                let (client, secret) = try await administrator.rotateSecret(id, change)
                var object: JSONObject = ["id": .string(id.text), "secret": .string(secret.text)]
                object.set("oldSecretUntil", client.otherSecretUntil.map(\.rfc3339))
                return OrderAnswer(200, object)
            case .showHookSecret(let id):
                let secret = try await administrator.hookSecret(of: id)
                return OrderAnswer(
                    200,
                    [
                        "id": .string(id.text), "secret": .string(secret.text),
                        "signingSecret": .string(secret.signing),
                    ])
            case .revokeClient(let id):
                try await administrator.revokeClient(id)
                return OrderAnswer(200, ["id": .string(id.text)])
            case .apiKey(let order): return try await carryOut(order)
            case .applicationKeys(let order): return try await carryOut(order)
            case .listKeys: return OrderAnswer(200, ["keys": .array(try await keys())])
            case .rotateKeys:
                try await administrator.rotateKeys()
                return OrderAnswer(200, ["keys": .array(try await keys())])
            case .keysets(let order): return try await carryOut(order)
            case .webhook(let order): return await carryOut(order)
            }
        } catch {
            return OrderAnswer(error)
        }
    }

    private func clients() async throws(Administrator.Refusal) -> [JSONValue] {
        try await administrator.clients().map { .object(Self.object($0)) }
    }

    /// An API client as the list shows it.
    private static func object(_ tenant: Tenant) -> JSONObject {
        var object: JSONObject = ["id": .string(tenant.id.text)]
        object.set("createdAt", tenant.createdAt.rfc3339)
        object.set("revokedAt", tenant.revokedAt.map(\.rfc3339))
        object.set("oldSecretUntil", tenant.otherSecretUntil.map(\.rfc3339))
        for member in TenantMember.object(tenant.rules).members { object[member.name] = member.value }
        return object
    }

    private func keys() async throws(Administrator.Refusal) -> [JSONValue] {
        try await administrator.keys().map { key, signs, end in
            var object: JSONObject = ["kid": .string(key.kid), "purpose": .string(key.purpose.rawValue)]
            object.set("createdAt", key.createdAt.rfc3339)
            object.set("activatesAt", key.activatesAt.rfc3339)
            object.set("signs", signs)
            object.set("privateHalf", key.canSign ? "kept" : "deleted")
            object.set("publicKey", key.rsaPublicKey?.pem)
            // If this is absent, the key has no successor yet. It verifies until some time after the next rotation.
            object.set("verifiesUntil", end.map(\.rfc3339))
            return .object(object)
        }
    }
}
