internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about devices.

extension ControlSurface {
    var deviceRoutes: [Route] {
        let list = Route(.post, "/control/devices/list") { request in
            guard let list = DeviceList(request.body) else { return ControlAnswer.malformed.response }
            return await answer(.devices(.list(list)), request.id).response
        }
        let changes = DeviceOrder.Act.allCases.map { act in
            Route(.post, "/control/devices/{id}/\(act.rawValue)") { request in
                guard let id = request.parameters["id"].flatMap({ DeviceName($0) }) else {
                    return ControlAnswer.refused(404, Administrator.Refusal.unknownDevice.description).response
                }
                return await answer(.devices(.change(id, act)), request.id).response
            }
        }
        return [list] + changes
    }

    func carryOut(_ order: DeviceOrder) async throws(Administrator.Refusal) -> ControlAnswer {
        switch order {
        case .list(let list):
            let devices = try await administrator.devices(list)
            return ControlAnswer(200, ["devices": .array(devices.map { .object(object($0)) })])
        case .change(let id, let act):
            try await administrator.change(id, by: act)
            return ControlAnswer(200, ["id": .string(id.text)])
        }
    }

    private func object(_ device: ListedDevice) -> JSONObject {
        switch device {
        case .activation(let activation): Self.object(activation)
        case .key(let key): object(key)
        }
    }

    private static func object(_ activation: DeviceActivation) -> JSONObject {
        var object: JSONObject = ["kind": "activation", "id": .string(activation.id.text)]
        object.set("client", activation.clientID.text)
        object.set("status", activation.standing.status.rawValue)
        object.set("reason", activation.standing.reason?.rawValue)
        object.set("since", activation.standing.since.rfc3339)
        object.set("failedAttempts", activation.failedAttempts)
        object.set("name", activation.details.name)
        object.set("platform", activation.details.platform)
        object.set("device", activation.details.device)
        let isNumber = activation.target.number != nil
        object.set(isNumber ? "phoneNumber" : "emailAddress", activation.target.masked)
        object.set("createdAt", activation.createdAt.rfc3339)
        object.set("lastUsedAt", activation.lastUsedAt.map(\.rfc3339))
        return object
    }

    private func object(_ key: DeviceKey) -> JSONObject {
        var object: JSONObject = ["kind": "key", "id": .string(key.id.text)]
        object.set("client", key.clientID.text)
        let limit = administrator.liveLimits.limits.deviceKeyInactivity
        let isInactive = key.isInactive(at: administrator.now(), after: limit)
        object.set("status", key.status == .active && isInactive ? "inactive" : key.status.rawValue)
        object.set("platform", key.platform.rawValue)
        object.set("phoneNumber", key.number.masked)
        object.set("createdAt", key.createdAt.rfc3339)
        object.set("lastUsedAt", key.lastUsedAt.rfc3339)
        return object
    }
}
