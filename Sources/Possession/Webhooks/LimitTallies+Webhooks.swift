/// What systems are told of limits: the words of the catalogue, from what a transaction has counted.
extension LimitTallies {
    struct ClientNews {
        /// Whose own limit it is; `nil`: it counts what several tenants do, and only those are told who see the whole
        /// server.
        let client: ClientID?
        let news: WebhookNews
    }

    /// Nearly always nothing.
    var webhookNews: [ClientNews] {
        guard !(closings.isEmpty && openings.isEmpty && stops.isEmpty && budgets.isEmpty) else { return [] }
        return closings.map { ClientNews(client: nil, news: $0.news) }
            + openings.map { ClientNews(client: nil, news: $0.news) }
            + stops.map { ClientNews(client: nil, news: $0.news) }
            + budgets.map { ClientNews(client: $0.client, news: $0.news) }
    }
}

extension LimitTallies.Closing {
    /// The prefix is nobody's number.
    fileprivate var news: WebhookNews {
        WebhookNews(
            isEnforced ? .riskBlocked : .riskWatched, at: at,
            [
                .text("rule", LimitName.prefixClosed.rawValue), .text("scope", "prefix"), .text("prefix", prefix),
                .init("until", .time(until)), .init("messages", .integer(messages)),
                .init("answers", .integer(answers)),
            ])
    }
}

extension LimitTallies.Opening {
    fileprivate var news: WebhookNews {
        WebhookNews(
            .riskCleared, at: at,
            [
                .text("rule", LimitName.prefixClosed.rawValue), .text("scope", "prefix"), .text("prefix", prefix),
            ])
    }
}

extension LimitTallies.Stop {
    fileprivate var news: WebhookNews {
        let subject = String(decoding: key.subject, as: UTF8.self)
        let target = Target(subject)
        let scope =
            switch target {
            case .number: "number"
            case .email: "email"
            case nil: "device"
            }
        return WebhookNews(
            .riskBlocked, at: at, of: target,
            [
                .text("rule", LimitName.failuresInARow.rawValue), .text("scope", scope),
                .text("deviceId", target == nil ? subject : nil), .text("limit", key.counter.limit.rawValue),
                .init("failuresInARow", .integer(failuresInARow)),
            ])
    }
}

extension LimitTallies.BudgetNote {
    /// Whose budget it is; `nil`: all tenants share it.
    fileprivate var client: ClientID? { key.counter == .spendOfTenant ? ClientID(subject) : nil }

    private var subject: String { String(decoding: key.subject, as: UTF8.self) }

    fileprivate var news: WebhookNews {
        let scope: [WebhookFact?] =
            switch key.counter {
            case .spendOfTenant: [.text("scope", "client"), .text("clientId", subject)]
            case .spendOfCountry: [.text("scope", "country"), .text("country", subject)]
            default: [.text("scope", "server")]
            }
        return WebhookNews(
            level == .near ? .budgetWarning : .budgetExhausted, at: at,
            scope + [
                .text("period", "day"), .text("used", SpendGuard.text(ofUnits: used)),
                .text("limit", SpendGuard.text(ofUnits: limit)), .text("guard", isEnforced ? "block" : "watch"),
            ])
    }
}
