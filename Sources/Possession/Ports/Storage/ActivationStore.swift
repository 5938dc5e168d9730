/// Shows and changes activations; a session's change makes them (`SessionChange.activation`).
///
///     let outcome = try await activations.update(id, telling: teller) { activation in
///         activation.take(match, of: call.factors, checkedWith: counter, at: now)
///     }
package protocol ActivationStore: Sendable {
    func activation(_ id: ActivationID) async throws(StorageFault) -> DeviceActivation?

    /// The newest of a number or an address first, removed ones too.
    /// - Parameters:
    ///   - client: of this API client only; `nil`: of all.
    ///   - before: the last one of the page before.
    func activations(
        of target: Target, at client: ClientID?, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation]

    /// The newest of an API client first, removed ones too.
    func activations(
        of client: ClientID, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation]

    /// Reads an activation, applies a rule and stores it, as one step. It is durable when this returns.
    ///
    /// - Parameters:
    ///   - teller: of the activation's API client; `nil` where nobody is told.
    ///   - rule: a plain function, which may run again.
    /// - Returns: `nil`: there is no such activation.
    func update<R: Sendable>(
        _ id: ActivationID, telling teller: WebhookTeller?,
        _ rule: @escaping @Sendable (inout DeviceActivation) -> R
    ) async throws(StorageFault) -> R?

    /// Activations that have never signed and are not removed, in the order of their ids.
    func unusedActivations(
        after: ActivationID?, madeUpTo end: Timestamp, most: Int
    ) async throws(StorageFault) -> [UnusedActivation]

    /// Forgets activations that were removed before a time; a bounded number a call. How many.
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
