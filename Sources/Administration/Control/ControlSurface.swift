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
        ListClients.self, AddClient.self, UpdateClient.self, RotateClientSecret.self, ShowHookSecret.self,
        RevokeClient.self,
        AddAPIKey.self, ListAPIKeys.self, RevokeAPIKey.self,
        AddApplicationKeys.self, ListApplicationKeys.self, RotateApplicationKeys.self, ExportApplicationKeys.self,
        ListSigningKeys.self, RotateSigningKeys.self,
        ShowKeyStatus.self, RotateMasterKey.self, RotateSealingKey.self,
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

    package var routes: [Route] { webhookRoutes + Self.orders.map { route($0) } }

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
        switch order {
        case .webhook(let order): await carryOut(order)
        }
    }
}
