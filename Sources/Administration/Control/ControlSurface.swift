package import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Takes the orders of an operator's commands on a running server, over a local socket that only the server's user can
/// open. It is the one place that carries orders out, and that records them.
///
/// A command without a running server calls `answer` on a store that it opened itself.
package struct ControlSurface: Sendable {
    /// Every order. A new one is a line here.
    static let orders: [any Order.Type] = [
        ListClients.self, AddClient.self, UpdateClient.self, RotateClientSecret.self, ShowHookSecret.self,
        RevokeClient.self,
        AddAPIKey.self, ListAPIKeys.self, RevokeAPIKey.self,
        AddApplicationKeys.self, ListApplicationKeys.self, RotateApplicationKeys.self, ExportApplicationKeys.self,
        ListSigningKeys.self, RotateSigningKeys.self, ShowKeyStatus.self, RotateMasterKey.self, RotateSealingKey.self,
        SavePeople.self, ListPeople.self, EraseNumber.self,
        ShowNumber.self, ExplainNumber.self, UnlockNumber.self,
        ListDevices.self, BlockDevice.self, UnblockDevice.self, RemoveDevice.self,
        ShowGuard.self, OpenPrefix.self, ClosePrefix.self, ResetSpending.self,
        ListTestNumbers.self, AddTestNumber.self, RemoveTestNumber.self,
        AddWebhook.self, ListWebhooks.self, TestWebhook.self, ReplayWebhooks.self, RotateWebhook.self,
        EnableWebhook.self, DisableWebhook.self, RemoveWebhook.self, ListDeliveries.self,
        ShowAuditEnds.self, ListAudit.self, NoteBackup.self,
    ]

    private let administrator: Administrator

    /// Called after every order that changed something.
    private let note: @Sendable (OperatorAct) -> Void

    package init(_ administrator: Administrator, note: @escaping @Sendable (OperatorAct) -> Void = { _ in }) {
        self.administrator = administrator
        self.note = note
    }

    package var routes: [Route] { Self.orders.map { route($0) } }

    private func route<O: Order>(_ order: O.Type) -> Route {
        let call = O.call
        return Route(call.method == .get ? .get : .post, call.path) { request in
            do throws(Administrator.Refusal) {
                return await answer(try call.read(request.body, id: request.parameters["id"]), request.id).response
            } catch { return OrderAnswer(error).response }
        }
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
}
