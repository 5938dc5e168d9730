internal import Engine
internal import Possession

extension Administrator {
    /// A page of devices, newest first. In the same millisecond activations come first.
    /// - Throws: `.unknownClient`, `.invalid`: `before` names no device; `.overloaded`, `.failed`.
    func devices(_ list: ListDevices) async throws(Refusal) -> [ListedDevice] {
        try await onStore { () async throws in
            if let client = list.client, try await tenants.tenant(client) == nil { throw Refusal.unknownClient }
            let (activation, key) = try await places(before: list.before)
            let activations: [DeviceActivation]
            var keys: [DeviceKey] = []
            switch list.owner {
            case .client(let client):
                activations = try await self.activations.activations(of: client, before: activation, most: list.limit)
                keys = try await deviceKeys.deviceKeys(of: client, before: key, most: list.limit)
            case .target(let target, let client):
                activations = try await self.activations.activations(
                    of: target, at: client, before: activation, most: list.limit)
                if let number = target.number {
                    keys = try await deviceKeys.deviceKeys(of: number, at: client, before: key, most: list.limit)
                }
            }
            let (now, limit) = (now(), liveLimits.limits.deviceKeyInactivity)
            let all =
                activations.map { ListedDevice($0) }
                + keys.map { ListedDevice($0, isInactive: $0.isInactive(at: now, after: limit)) }
            return Array(all.sorted { $0.id.createdAt > $1.id.createdAt }.prefix(list.limit))
        }
    }

    /// The start of a page in each of the two lists that are merged.
    private func places(
        before device: DeviceName?
    ) async throws -> (activation: ActivationID?, key: DeviceKeyPlace?) {
        guard let device else { return (nil, nil) }
        let time = device.createdAt
        if try await activations.activation(device.activation) != nil {
            return (device.activation, .time(time.adding(.milliseconds(1))))
        }
        guard try await deviceKeys.owner(of: device.key) != nil else {
            throw Refusal.invalid("before: there is no such device")
        }
        return (ActivationID(at: time, random: 0), .key(device.key))
    }

    /// Blocks, unblocks or removes an activation, or revokes a device key, and notifies its API client. A repeated
    /// order is not an error.
    /// - Throws: `.unknownDevice`, `.invalid`: a device key can only be removed, or the activation was removed;
    ///   `.overloaded`, `.failed`.
    func change(_ device: DeviceName, by act: DeviceAct) async throws(Refusal) {
        try await onStore { () async throws in
            if let activation = try await activations.activation(device.activation) {
                return try await change(activation, by: act)
            }
            guard let client = try await deviceKeys.owner(of: device.key) else { throw Refusal.unknownDevice }
            guard act == .remove else {
                throw Refusal.invalid("this is a device key: it can be removed, and not \(act.rawValue)ed")
            }
            let now = now()
            let teller = try webhooks.teller(for: client, at: now)
            let isThere = try await deviceKeys.revokeDeviceKey(device.key, of: client, telling: teller, at: now)
            guard isThere else { throw Refusal.unknownDevice }
            webhooks.wake(teller)
        }
    }

    private func change(_ activation: DeviceActivation, by act: DeviceAct) async throws {
        let now = now()
        let teller = try webhooks.teller(for: activation.clientID, at: now)
        let isDone = try await activations.update(activation.id, telling: teller) { activation in
            switch act {
            case .block: return activation.block(for: .operator, at: now)
            case .unblock: return activation.unblock(at: now)
            case .remove:
                activation.remove(for: .operator, at: now)
                return true
            }
        }
        // The activation may have been erased since it was read.
        guard let isDone else { throw Refusal.unknownDevice }
        guard isDone else {
            throw Refusal.invalid("this activation is removed for good: its person activates the phone again")
        }
        webhooks.wake(teller)
    }

    /// As `stored`. A busy store is `.overloaded`.
    private func onStore<Value: Sendable>(_ work: () async throws -> Value) async throws(Refusal) -> Value {
        do { return try await work() } catch {
            switch error {
            case let refusal as Refusal: throw refusal
            case StorageFault.overloaded: throw .overloaded
            case is EntropyFault: throw .failed("the random generator refused")
            default: throw .failed("storage: \(error)")
            }
        }
    }
}
