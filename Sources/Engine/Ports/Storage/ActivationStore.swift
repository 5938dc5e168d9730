package import Possession

/// Reads and changes activations. A change of a session makes them (`SessionChange.activation`).
///
///     let outcome = try await activations.update(id, telling: teller) { activation in
///         activation.take(match, of: call.factors, checkedWith: counter, at: now)
///     }
package protocol ActivationStore: Sendable {
    func activation(_ id: ActivationID) async throws(StorageFault) -> DeviceActivation?

    /// Activations of a number or an address, including removed ones, the newest first.
    /// - Parameters:
    ///   - client: only this API client's; `nil`: all.
    ///   - before: the last one of the previous page.
    func activations(
        of target: Target, at client: ClientID?, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation]

    /// Activations of an API client, including removed ones, the newest first.
    func activations(
        of client: ClientID, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation]

    /// Reads an activation, applies a rule and stores it, as one step. It is durable when this returns.
    ///
    /// - Parameters:
    ///   - teller: makes events for the activation's API client; `nil`: no events are made.
    ///   - rule: a plain function, which may run more than once.
    /// - Returns: `nil`: there is no such activation.
    func update<R: Sendable>(
        _ id: ActivationID, telling teller: WebhookEventFactory?,
        _ rule: @escaping @Sendable (inout DeviceActivation) -> R
    ) async throws(StorageFault) -> R?

    /// Activations that have never signed and are not removed, in the order of their ids.
    func unusedActivations(
        after: ActivationID?, madeUpTo end: Timestamp, most: Int
    ) async throws(StorageFault) -> [UnusedActivation]

    /// Deletes activations that were removed before a time, a bounded number in each call. Returns how many.
    func forgetActivations(removedBefore end: Timestamp) async throws(StorageFault) -> Int
}

/// An activation that has never signed.
package struct UnusedActivation: Sendable, Equatable {
    package let id: ActivationID
    package let clientID: ClientID

    package init(id: ActivationID, clientID: ClientID) {
        self.id = id
        self.clientID = clientID
    }
}
