internal import Text

/// Webhook events about a session, made from the session's own events.
extension Session {
    /// Events of the session since it was loaded; all events of a new session.
    /// - Parameters:
    ///   - before: the session as it was loaded; `nil`: it is new.
    ///   - key: the session's device key, if it was loaded.
    package func webhookNews(since before: Session?, key: DeviceKey?) -> [WebhookNews] {
        newEvents.compactMap { webhookNews(of: $0, before, key) }
    }

    private func webhookNews(of event: SessionEvent, _ before: Session?, _ key: DeviceKey?) -> WebhookNews? {
        switch event.kind {
        case .created:
            news(.sessionCreated, event, [.text("flow", request.flow.rawValue), .init("expiresAt", .time(expiresAt))])
        case .redeemed: news(.sessionRedeemed, event, [.text("platform", event.detail)])
        case .succeeded:
            news(
                .sessionSucceeded, event,
                [
                    .text("method", proof.map { $0.method.check?.rawValue ?? "none" }),
                    .text("deviceId", deviceID?.text),
                    evaluation,
                ])
        case .failed:
            news(
                .sessionFailed, event,
                [.text("reason", FailureWord.of(event.detail)), evaluation])
        case .expired: news(.sessionExpired, event, [.text("lastStep", before?.stepWord)])
        case .cancelled: news(.sessionCancelled, event, [.text("lastStep", before?.stepWord)])
        case .deviceChallenged: check(.checkStarted, .device, event)
        case .mobileAuthBegun: check(.checkStarted, .mobileAuth, event)
        case .otpSent: check(.checkStarted, .otp, event)
        case .linkSent: check(.checkStarted, .link, event)
        case .deviceProofRefused: check(.checkFailed, .device, event)
        case .mobileAuthFailed:
            check(
                .checkFailed, .mobileAuth, event,
                [.text("reason", (before ?? self).reason(ofSilentFailure: event.detail))])
        case .otpMismatch, .otpExpired:
            check(.checkFailed, .otp, event, [WebhookFact("remaining", .integer(otp.attemptsLeft))])
        case .otpPassed: check(.checkPassed, .otp, event)
        case .mobileAuthPassed: check(.checkPassed, .mobileAuth, event)
        case .linkApproved: check(.checkPassed, .link, event)
        // Only the first tap is reported.
        case .linkTapped: before?.exchange == nil ? news(.linkTapped, event, []) : nil
        case .deviceKeyRecognized: check(.checkPassed, .device, event)
        case .linkExpired, .linkDenied, .linkApprovalRefused: check(.checkFailed, .link, event)
        case .deviceKeyBound: news(.deviceKeyBound, event, [.text("deviceId", deviceID?.text)])
        case .deviceKeyRetired:
            news(.deviceKeyRetired, event, [.text("deviceId", key?.id.text), .text("reason", event.detail)])
        case .deviceNumberMismatch: news(.deviceKeyNumberMismatch, event, [.text("deviceId", key?.id.text)])
        case .identityConfirmed: news(.prefillCompleted, event, [.text("step", "complete")])
        case .identityRefused: news(.prefillRefused, event, [.text("step", "complete")])
        case .challengeRefused: news(.prefillRefused, event, [.text("step", "challenge")])
        case .numberRefused: news(.prefillRefused, event, [.text("step", "validate")])
        case .reputationFailed:
            news(.riskBlocked, event, [.text("rule", "reputation"), .text("scope", "number"), evaluation])
        // Intermediate steps that a backend cannot act on, and events that are reported under another name.
        case .secondKeyRefused, .deviceKeyIgnored, .deviceKeyPending, .otpSendFailed, .mobileAuthSentToOperator,
            .mobileAuthAnswered, .fingerprintRefused, .linkSendFailed, .reputationUnknown,
            .messageDelivered, .messageUndelivered, .messageExpired, .messageUnconfirmed, .sendRefused,
            .possessionRequired, .bindRefused,
            .numberValidated, .challengePassed:
            nil
        }
    }

    /// The codes of the reasons against the number, or of why its standing is unknown.
    private var evaluation: WebhookFact? {
        riskReasons.isEmpty ? nil : WebhookFact("evaluation", .texts(riskReasons.map(\.code)))
    }

    private func check(
        _ type: WebhookEventType, _ method: CheckName, _ event: SessionEvent, _ facts: [WebhookFact?] = []
    ) -> WebhookNews {
        news(type, event, [.text("method", method.rawValue)] + facts)
    }

    private func news(_ type: WebhookEventType, _ event: SessionEvent, _ facts: [WebhookFact?]) -> WebhookNews {
        news(type, at: event.at, of: proof?.target ?? currentTarget, facts)
    }

    func news(
        _ type: WebhookEventType, at time: Timestamp, of target: Target?, _ facts: [WebhookFact?]
    ) -> WebhookNews {
        WebhookNews(
            type, at: time, session: correlationID, of: target,
            [
                .text("clientRequestId", request.references.clientRequestID),
                .text("product", request.policy.product.text),
                request.metadata.isEmpty
                    ? nil : WebhookFact(WebhookFact.metadataName, .map(request.metadata)),
            ] + facts + WebhookEndpoint.Format.facts(of: request),
            callback: mayCallBack(type) ? request.options.callback : nil)
    }

    /// A callback gets only the end of a session. In a vendor's format it gets every event that the format has a name
    /// for.
    private func mayCallBack(_ type: WebhookEventType) -> Bool {
        type.endsSession || WebhookEndpoint.Format.ofVendor(request.policy.product) != nil
    }

    // MARK: Messages

    /// The message was sent. Before that event, one for the change of channel, if an earlier channel was tried.
    package func news(ofSent message: OutboundMessage, _ acceptance: Acceptance, at now: Timestamp) -> [WebhookNews] {
        if message.pending.to.isNobody { return [] }
        let about = WebhookFact.text("messageId", message.id.text)
        let sent = news(
            .messageSent, at: now, of: message.pending.to,
            [
                about, .text("channel", (acceptance.channel ?? OutgoingMessage.Channel.sms).rawValue),
                .text("gateway", acceptance.gateway),
            ])
        let earlier = wayTried(before: message)
        guard let channel = acceptance.channel, !earlier.isSame(as: channel.rawValue) else { return [sent] }
        let changed = news(
            .messageChannelChanged, at: now, of: message.pending.to,
            [about, .text("fromChannel", earlier), .text("toChannel", channel.rawValue)])
        return [changed, sent]
    }

    /// The last channel that this message avoids because it did not deliver. Otherwise, for the first message, the
    /// silent check; else the channel that the message was meant to take.
    private func wayTried(before message: OutboundMessage) -> String {
        if let channel = message.avoids.last?.channel { return channel.rawValue }
        if case .first = message.pending.place, mobileAuth.attempt != nil { return CheckName.mobileAuth.rawValue }
        return channels(of: message.pending)[0].rawValue
    }

    /// A carrier's receipt for a message that it took earlier.
    /// - Parameter channel: the channel that took the message; `nil`: not recorded yet.
    package func news(
        ofReceipt receipt: MessageReceipt, _ end: MessageReceipt.End, of message: MessageID, from gateway: String,
        by channel: OutgoingMessage.Channel?, at now: Timestamp
    ) -> WebhookNews {
        news(
            end == .delivered ? .messageDelivered : .messageUndelivered, at: now, of: currentTarget,
            [
                .text("messageId", message.text), .text("channel", channel?.rawValue), .text("gateway", gateway),
                end == .delivered ? nil : .text("class", end.rawValue), .text("vendorCode", receipt.code),
            ])
    }

    /// - Parameters:
    ///   - message: the message that is sent by the next route.
    ///   - earlier: the message that `gateway` took and did not deliver.
    package func news(
        ofFallback message: OutboundMessage, for earlier: MessageID, from gateway: String, at now: Timestamp
    ) -> WebhookNews {
        news(
            .messageFallback, at: now, of: message.pending.to,
            [
                .text("messageId", message.id.text), .text("earlierMessageId", earlier.text),
                .text("from", gateway),
            ])
    }

    /// The event has no channel, because no channel took the message.
    /// - Parameter isLate: the message was not sent, because it was no longer useful.
    package func news(ofFailed message: OutboundMessage, isLate: Bool, at now: Timestamp) -> WebhookNews {
        news(
            .messageFailed, at: now, of: message.pending.to,
            [
                .text("messageId", message.id.text), .text("class", isLate ? "expired" : "refused"),
            ])
    }

    /// Reason why a silent check failed. An attempt that was never opened has a reason different from a late one.
    private func reason(ofSilentFailure detail: String?) -> String? {
        guard case .offered = mobileAuth.state, detail?.isSame(as: "late") == true else { return detail }
        return "not_opened"
    }

    private var stepWord: String? {
        switch phase {
        case .created: "created"
        case .active(let step): step.rawValue
        case .done: nil
        }
    }
}

/// Names of checks in events and statements.
package enum CheckName: String, Sendable {
    case device
    case mobileAuth = "mobile_auth"
    case otp, link
}

extension Session.Proof.Method {
    /// `nil`: the success had no check of this server.
    package var check: CheckName? {
        switch self {
        case .deviceKey: .device
        case .mobileAuth: .mobileAuth
        case .otp: .otp
        case .instantLink: .link
        case .customer, .assumed: nil
        }
    }
}

/// Reasons for a session's failure in events, by the words of its timeline.
private enum FailureWord {
    private static let words: [(detail: StaticString, word: String)] = [
        ("otp_attempts", "tries_used_up"), ("bind_tries", "tries_used_up"), ("otp_expired", "sends_used_up"),
        ("link_expired", "sends_used_up"), ("link_denied", "denied"), ("link_match_code", "mismatch"),
        ("link_ip_mismatch", "mismatch"), ("link_phone_mismatch", "mismatch"), ("reputation", "reputation"),
        ("device_number_mismatch", "number_mismatch"), ("number_limit", "limit"), ("no_check_left", "no_check_left"),
        ("assumed", "assumed"),
    ]

    /// A detail without an entry is used unchanged: it is also from a fixed list.
    static func of(_ detail: String?) -> String? {
        guard let detail else { return nil }
        return words.first { "\($0.detail)".utf8.elementsEqual(detail.utf8) }?.word ?? detail
    }
}

extension WebhookNews {
    /// - Parameter changes: names of the changed values, without the values.
    package static func identity(
        _ type: WebhookEventType, _ id: HolderID, number: PhoneNumber? = nil, changes: [String]? = nil,
        at now: Timestamp
    ) -> WebhookNews {
        WebhookNews(
            type, at: now, of: number.map(Target.number),
            [.text("identityId", id.text), changes.map { WebhookFact("changes", .texts($0)) }])
    }

    package static func deviceKeyRevoked(_ id: DeviceID, at now: Timestamp) -> WebhookNews {
        WebhookNews(.deviceKeyRevoked, at: now, [.text("deviceId", id.text), .text("reason", "revoked")])
    }

    package static func endpointDisabled(_ endpoint: WebhookEndpoint, at now: Timestamp) -> WebhookNews {
        WebhookNews(
            .endpointDisabled, at: now,
            [
                .text("endpointId", endpoint.id.name), .text("reason", endpoint.stop?.rawValue),
                endpoint.failingSince.map { WebhookFact("since", .time($0)) },
            ])
    }

    package static func ping(_ endpoint: WebhookEndpointID, at now: Timestamp) -> WebhookNews {
        WebhookNews(.ping, at: now, [.text("endpointId", endpoint.name)])
    }
}
