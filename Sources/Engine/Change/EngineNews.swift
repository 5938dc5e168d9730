package import Possession

/// Called with the session of a call, for the request log; `nil` if requests are not logged.
package typealias NoteSession = @Sendable (Session) -> Void

/// Event in the engine for the operator's metrics (OPS-06). Reported once it is durable.
package enum EngineNews: Sendable {
    case change(Session.News)
    /// Whether the carrier took a message.
    case message(Session.MessageKind, to: Target, isTaken: Bool)
    /// A receipt has reported the end of a message.
    case receipt(MessageReceipt.End, gateway: String, country: String?)
    /// A gateway took a message and sent no receipt in time.
    case receiptOverdue(gateway: String, country: String?, of: CorrelationID)
    /// A gateway did not deliver a message, and another route is used.
    case sentAgain(from: String, country: String?)
    /// Too few people in a prefix or a country answer an API client's messages.
    case placeClosed(LimitTallies.PlaceNews)
    /// People answer again, or enough time has passed.
    case placeOpened(LimitTallies.PlaceNews)
    /// The budget for messages in 24 hours is nearly or fully spent.
    case budget(LimitTallies.BudgetNote)
    /// A message is sent for a backend that did not name the person's address.
    case messageWithoutAddress(of: ClientID)
    /// A test number was used.
    case testNumber(PhoneNumber, TestNumberUse, of: ClientID)
}

extension Engine {
    func publish(_ news: Session.News?) {
        guard var news else { return }
        if let passed = news.events.first(where: { $0.kind == .otpPassed }), let number = news.number,
            server.testNumber(number, of: news.tenant, at: passed.at) != nil
        {
            news.isOfTestNumber = true
            reports.recordNews(.testNumber(number, .passed, of: news.tenant))
        }
        reports.recordNews(.change(news))
    }
}

extension LimitTallies {
    /// Events about limits from a transaction, for the metrics. Nearly always empty.
    var engineNews: [EngineNews] {
        closings.map { .placeClosed($0) } + openings.map { .placeOpened($0) } + budgets.map { .budget($0) }
            + (sentWithoutAddress.map { [.messageWithoutAddress(of: $0)] } ?? [])
    }
}
