internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /receipts/{gateway}/{token}`, and the same with `GET`: the status of a message, in the carrier's own form.
///
///     MessageSid=SM1&MessageStatus=delivered  ->  204
///
/// These are plain routes, because each carrier has its own form, which the gateway's file describes. A token that this
/// server did not issue gets 204, whatever else is sent; only with a genuine token is the rest read, and may be
/// refused.
struct TakeReceipt: Sendable {
    private static let maxBodyBytes = 64 * 1024
    private static let path = "/receipts/{gateway}/{token}"

    let receipts: ReceiptService
    let reader: any ReceiptReader
    let publicURL: String
    let refused: @Sendable (_ gateway: String, _ reason: String) -> Void
    let report: @Sendable (String) -> Void

    var posted: Route {
        Route(.post, Self.path, body: BodyRule(maxBytes: Self.maxBodyBytes)) { await respond(to: $0) }
    }

    var queried: Route { Route(.get, Self.path, demand: .changes) { await respond(to: $0) } }

    private func respond(to request: Request) async -> Response {
        let gateway = request.parameters["gateway"] ?? ""
        guard let message = receipts.message(of: request.parameters["token"] ?? "", from: gateway) else {
            return Response(status: 204)
        }
        var url = publicURL + request.path
        if !request.rawQuery.isEmpty { url += "?" + request.rawQuery }
        let headers = request.headers
        let call = ReceiptCall(
            method: request.method.text, url: url, query: Array(request.rawQuery.utf8), body: request.body,
            header: { headers[$0] })
        do {
            guard let reading = try reader.read(call, from: gateway) else { return Response(status: 204) }
            try await receipts.take(reading.receipt, for: message, from: gateway, isTimed: reading.isTimed)
            guard let answer = reading.answer else { return Response(status: 204) }
            return Response(
                status: 200, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(answer.utf8))
        } catch let refusal as ReceiptRefusal {
            switch refusal {
            case .signature:
                refused(gateway, "signature")
                report("a receipt for the gateway \(gateway) is not signed as its carrier signs")
                return .coded(403, code: 8002, message: "the signature is missing or wrong")
            case .malformed(let reason):
                refused(gateway, "malformed")
                report("a receipt for the gateway \(gateway) cannot be read: \(reason)")
                return .coded(400, code: 8001, message: reason)
            }
        } catch EngineFault.overloaded {
            var response = Response.coded(503, code: 8000, message: "the server is busy")
            response.add("Retry-After", "1")
            return response
        } catch {
            report("a receipt was not stored: \(error)")
            return .coded(500, code: 8000, message: "internal error")
        }
    }

    /// The API description of the endpoint.
    static var operations: [Operation] {
        let parameters = [
            Parameter.path("gateway", .text(pattern: "^[a-z0-9-]{1,32}$"), "The gateway's name in the configuration."),
            Parameter.path("token", .text(pattern: "^[A-Za-z0-9_-]{64}$"), "Names the message."),
        ]
        let detail =
            "In the carrier's own form, which the gateway's file describes. An unknown token is answered with 204, "
            + "whatever comes with it. Carriers that want to read a word get it with status 200."
        let answers = [
            Answer(status: 204, about: "Taken."),
            Answer(status: 200, about: "Taken.", content: Content(type: "text/plain", schema: .text())),
        ]
        return [(Method.post, "takeReceipt"), (.get, "takeReceiptByQuery")].map { method, id in
            Call(method, path, id: id, "Receipt of a message", detail).operation(
                .messages, parameters: parameters, answers: answers,
                errors: [
                    .coded(400, code: 8001, message: "there is no state"),
                    .coded(403, code: 8002, message: "the signature is missing or wrong"),
                ])
        }
    }
}
