/// Told of the session that a call is about, for the log of requests; `nil` where those are not logged.
package typealias NoteSession = @Sendable (Session) -> Void

/// Event in the engine, for the figures of the operator (OPS-06). Told once it is durable.
package enum EngineNews: Sendable {
    case change(Session.News)
    /// The carrier has taken a message, or not.
    case message(Session.MessageKind, to: Target, isTaken: Bool)
    /// A message that a carrier took has come to its end.
    case receipt(MessageReceipt.End, gateway: String, country: String?)
    /// A gateway took a message and has said nothing of it in time.
    case receiptOverdue(gateway: String, country: String?, of: CorrelationID)
    /// A gateway did not deliver a message, and another one is to.
    case sentAgain(from: String, country: String?)
    /// Too few people of a prefix or a country answer an API client's messages.
    case placeClosed(LimitTallies.PlaceNews)
    /// They answer again, or time has passed.
    case placeOpened(LimitTallies.PlaceNews)
    /// The budget of a day for messages is nearly spent, or spent.
    case budget(LimitTallies.BudgetNote)
    /// A message goes, and the backend that wants it did not say at which address the person is.
    case messageWithoutAddress(of: ClientID)
    /// Somebody uses a number that nothing is sent to.
    case testNumber(PhoneNumber, TestNumberUse, of: ClientID)
}

extension Session {
    /// Events that one change has added to the timeline of a session.
    package struct News: Sendable {
        package let correlationID: CorrelationID
        package let flow: SessionRequest.Flow
        package let product: ProductName
        package let tenant: ClientID
        package let events: [SessionEvent]
        /// The number at hand, of which the figures take the country.
        package let number: PhoneNumber?
        /// Whether it is a test number, whose codes say nothing of messages.
        package internal(set) var isOfTestNumber = false
    }

    /// `nil`: nothing happened since the session was loaded.
    var news: News? {
        guard !newEvents.isEmpty else { return nil }
        return News(
            correlationID: correlationID, flow: request.flow, product: request.policy.product, tenant: clientID,
            events: newEvents,
            number: currentNumber)
    }
}

extension Engine {
    func tell(_ news: Session.News?) {
        guard var news else { return }
        if let passed = news.events.first(where: { $0.kind == .otpPassed }), let number = news.number,
            testNumber(number, of: news.tenant, at: passed.at) != nil
        {
            news.isOfTestNumber = true
            noteNews(.testNumber(number, .passed, of: news.tenant))
        }
        noteNews(.change(news))
    }
}

extension LimitTallies {
    /// Decisions of a transaction about limits, for the figures; nearly always none.
    var engineNews: [EngineNews] {
        closings.map { .placeClosed($0) } + openings.map { .placeOpened($0) } + budgets.map { .budget($0) }
            + (sentWithoutAddress.map { [.messageWithoutAddress(of: $0)] } ?? [])
    }
}
