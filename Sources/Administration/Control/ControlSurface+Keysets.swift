internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Tokens

// The orders about the master key and the sealing key.

extension ControlSurface {
    var keysetRoutes: [Route] {
        [
            Route(.get, "/control/keys/status") { _ in await answer(.keysets(.status)).response },
            Route(.post, "/control/keys/master") { request in
                guard let order = KeysetOrder.rotateMaster(request.body) else {
                    return OrderAnswer.malformed.response
                }
                return await answer(.keysets(order), request.id).response
            },
            Route(.post, "/control/keys/sealing") {
                await answer(.keysets(.rotateSealing), $0.id).response
            },
        ]
    }

    func carryOut(_ order: KeysetOrder) async throws(Administrator.Refusal) -> OrderAnswer {
        switch order {
        case .status: break
        case .rotateMaster(let file):
            let change = try await administrator.rotateMaster(newKeyFile: file)
            var object: JSONObject = [:]
            switch change {
            case .replaced(let id, let before, let kept):
                object.set("replaced", id)
                object.set("before", before)
                object.set("kept", kept)
            case .waits(let id, let before):
                object.set("waits", id)
                object.set("before", before)
            case .withdrawn: object.set("withdrawn", true)
            }
            return OrderAnswer(200, object)
        case .rotateSealing: try await administrator.rotateSealing()
        }
        let (standing, progress) = try await administrator.keysetStanding()
        var master: JSONObject = ["id": .string(standing.masterID)]
        master.set("since", standing.masterSince.rfc3339)
        master.set("waiting", standing.waitingMasterID)
        var sealing = JSONObject()
        sealing.set("generation", Int(standing.generation))
        sealing.set("since", standing.generationSince.rfc3339)
        sealing["older"] = .array(standing.olderGenerations.map { .integer(Int64($0)) })
        sealing.set("resealed", progress.resealed)
        sealing.set("left", progress.left)
        sealing.set("unreadable", progress.unreadable)
        return OrderAnswer(200, ["masterKey": .object(master), "sealingKey": .object(sealing)])
    }
}
