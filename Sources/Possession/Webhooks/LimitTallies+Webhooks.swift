/// Webhook events about limits, made from what a transaction has counted.
extension LimitTallies {
    package struct ClientNews {
        /// API client that the limit belongs to; `nil`: the limit counts several tenants' messages, so only endpoints
        /// that see the whole server get the event.
        package let client: ClientID?
        package let news: WebhookNews
    }

    /// Nearly always empty.
    package var webhookNews: [ClientNews] {
        guard !(closings.isEmpty && openings.isEmpty && stops.isEmpty && budgets.isEmpty) else { return [] }
        return closings.map { ClientNews(client: $0.key.tenant, news: $0.news(isOpen: false)) }
            + openings.map { ClientNews(client: $0.key.tenant, news: $0.news(isOpen: true)) }
            + stops.map { ClientNews(client: $0.key.tenant, news: $0.news) }
            + budgets.map { ClientNews(client: $0.client, news: $0.news) }
    }
}

extension LimitTallies.PlaceNews {
    /// The event of a place. It names no number.
    fileprivate func news(isOpen: Bool) -> WebhookNews {
        let kind: WebhookEventType = isOpen ? .riskCleared : isEnforced ? .riskBlocked : .riskWatched
        return WebhookNews(
            kind, at: at,
            [
                .text("rule", key.counter.limit.rawValue), .text("scope", isCountry ? "country" : "prefix"),
                .text(isCountry ? "country" : "prefix", place), .text("clientId", key.tenant?.text),
            ])
    }
}

extension LimitTallies.Stop {
    fileprivate var news: WebhookNews {
        let subject = String(decoding: key.ownSubject, as: UTF8.self)
        let target = Target(subject)
        let scope =
            switch target {
            case .number: "number"
            case .email: "email"
            case .nobody: "nobody"
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
    /// API client that the budget belongs to; `nil`: all tenants share it.
    fileprivate var client: ClientID? { key.counter == .spendOfTenant ? key.tenant : nil }

    fileprivate var news: WebhookNews {
        let scope: [WebhookFact?] =
            switch key.counter {
            case .spendOfTenant: [.text("scope", "client"), .text("clientId", client?.text)]
            case .spendOfCountry:
                [
                    .text("scope", "country"),
                    .text("country", String(decoding: key.ownSubject.dropFirst(), as: UTF8.self)),
                ]
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
