extension Session {
    /// Events that one change has added to the timeline of a session.
    package struct News: Sendable {
        package let correlationID: CorrelationID
        package let flow: SessionRequest.Flow
        package let product: ProductName
        package let tenant: ClientID
        package let events: [SessionEvent]
        /// The session's number, from which the metrics take the country.
        package let number: PhoneNumber?
        /// Whether it is a test number, whose codes are not sent in messages.
        package var isOfTestNumber = false
    }

    /// `nil`: nothing happened since the session was loaded.
    package var news: News? {
        guard !newEvents.isEmpty else { return nil }
        return News(
            correlationID: correlationID, flow: request.flow, product: request.policy.product, tenant: clientID,
            events: newEvents,
            number: currentNumber)
    }
}
