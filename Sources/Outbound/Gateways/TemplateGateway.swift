internal import Engine
package import Possession
internal import StrictJSON
internal import Text

/// A gateway that is called by its specification.
package struct TemplateGateway: Sendable {
    /// Longest answer that is read.
    private static let maxAnswerBytes = 64 * 1024
    private static let longestRetryAfter = Duration.seconds(3600)

    package let name: String
    package let specification: GatewaySpecification
    private let settings: [String: String]
    private let send: OutboundSend
    private let crypto: GatewayCrypto
    private let systemNow: Now

    /// - Parameters:
    ///   - name: from the configuration; used in metrics, logs and receipt URLs.
    ///   - settings: the operator's settings, including secrets.
    ///   - systemNow: the machine's clock, used in signatures, because the other side compares it with its own.
    package init(
        name: String, _ specification: GatewaySpecification, settings: [String: String],
        send: @escaping OutboundSend, crypto: GatewayCrypto, systemNow: @escaping Now
    ) {
        self.name = name
        self.specification = specification
        self.settings = settings
        self.send = send
        self.crypto = crypto
        self.systemNow = systemNow
    }

    /// Sends one message.
    /// - Parameters:
    ///   - timeout: of the call.
    ///   - remaining: how long its code or link is still valid.
    ///   - receiptURL: the URL for receipts of this message.
    /// - Returns: the carrier's ID of the message.
    func send(
        _ message: OutgoingMessage, _ form: OutgoingMessage.Form, _ leg: MessageRoute.Leg, timeout: Duration,
        remaining: Duration, receiptURL: String
    ) async throws(GatewayFault) -> String? {
        var values = GatewayValues(settings: settings)
        values.take(message, form, leg, remaining: remaining, receiptURL: receiptURL)
        var request =
            if let mail = specification.mail {
                try self.request(mail, values, message, form, timeout: timeout)
            } else {
                try self.request(values, messageID: message.id.text, timeout: timeout)
            }
        let progress = OutboundProgress()
        request.progress = progress
        let response: OutboundResponse
        do { response = try await send(request) } catch {
            throw GatewayFault(error, mayHaveArrived: progress.mayHaveArrived)
        }
        guard specification.mail == nil else {
            if let refusal = GatewayFault(mail: response) { throw refusal }
            return nil
        }
        return try specification.answer.read(response, longestRetryAfter: Self.longestRetryAfter)
    }

    /// Reads a carrier's call about a message; `nil`: the gateway has no receipts.
    func read(_ call: ReceiptCall) throws(ReceiptRefusal) -> ReceiptReading? {
        guard let form = specification.receipt else { return nil }
        let receipt = try form.receipt(in: call, GatewayValues(settings: settings), crypto, at: systemNow())
        return ReceiptReading(receipt, answer: form.answer, isTimed: form.withinSeconds > 0)
    }

    /// The request for a message.
    /// - Throws: `.ours`: a value is missing, or a header cannot hold it.
    private func request(
        _ values: GatewayValues, messageID: String, timeout: Duration
    ) throws(GatewayFault) -> OutboundRequest {
        guard var url = specification.url.filled(values, escape: { $1 ? $0 : PercentCoding.encode($0) }) else {
            throw GatewayFault("a value of the URL is missing", kind: .ours)
        }
        let query = try fields(specification.query, values)
        if !query.isEmpty {
            let hasQuery = url.utf8.contains(UInt8(ascii: "?"))
            url += (hasQuery ? "&" : "?") + FormEncoding.encode(query)
        }
        var headers = try fields(specification.headers, values)
        var body: [UInt8] = []
        switch specification.body {
        case .none: break
        case .form(let fields):
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            body = Array(FormEncoding.encode(try self.fields(fields, values)).utf8)
        case .json(let node):
            headers.append(("Content-Type", "application/json"))
            body = try json(node, values)?.serialized() ?? []
        }
        try authorize(&headers, values, messageID: messageID, body: body)
        return OutboundRequest(
            method: specification.method, url: url, headers: headers, body: body, timeout: timeout,
            maxResponseBytes: Self.maxAnswerBytes)
    }

    private func fields(
        _ fields: [GatewaySpecification.Field], _ values: GatewayValues
    ) throws(GatewayFault) -> [(name: String, value: String)] {
        var filled: [(name: String, value: String)] = []
        for field in fields {
            if let value = field.value.filled(values) {
                filled.append((field.name, value))
            } else if field.value.names.contains(where: { !$0.isOptional && values[$0.name] == nil }) {
                throw GatewayFault("a value of '\(field.name)' is missing", kind: .ours)
            }
        }
        return filled
    }

    /// `nil`: an optional value is missing.
    private func json(_ node: GatewaySpecification.Node, _ values: GatewayValues) throws(GatewayFault) -> JSONValue? {
        switch node {
        case .value(let value): return value
        case .text(let text):
            guard let filled = text.filled(values) else { return nil }
            guard text.isNumber else { return .string(filled) }
            guard let number = Int64(filled) else { throw GatewayFault("a number is none", kind: .ours) }
            return .integer(number)
        case .array(let nodes):
            var elements: [JSONValue] = []
            for node in nodes { if let element = try json(node, values) { elements.append(element) } }
            return .array(elements)
        case .object(let members):
            var object = JSONObject()
            for member in members { object[member.name] = try json(member.node, values) }
            return .object(object)
        }
    }

    private func authorize(
        _ headers: inout [(name: String, value: String)], _ values: GatewayValues, messageID: String, body: [UInt8]
    ) throws(GatewayFault) {
        switch specification.auth {
        case .none: break
        case .basic(let user, let password):
            guard let user = user.filled(values), let password = password.filled(values) else {
                throw GatewayFault("a credential is missing", kind: .ours)
            }
            headers.append(("Authorization", "Basic " + Base64.encode(Array("\(user):\(password)".utf8))))
        case .bearer(let token):
            guard let token = token.filled(values) else { throw GatewayFault("a credential is missing", kind: .ours) }
            headers.append(("Authorization", "Bearer " + token))
        case .standardWebhooks(let secret):
            guard let secret = secret.filled(values), let key = StandardSecret.key(secret) else {
                throw GatewayFault("the secret must be whsec_ and base64", kind: .ours)
            }
            let time = String(systemNow().seconds)
            let code = crypto.hmac(.sha256, key, Array("\(messageID).\(time).".utf8) + body)
            headers += [
                ("webhook-id", messageID), ("webhook-timestamp", time),
                ("webhook-signature", "v1," + Base64.encode(code)),
            ]
        }
    }
}

/// The secret of an endpoint, in the form of Standard Webhooks.
package enum StandardSecret {
    /// 24 to 64 bytes; `nil` for anything except `whsec_` and their base64.
    package static func key(_ text: String) -> [UInt8]? {
        guard text.utf8.starts(with: "whsec_".utf8), let key = Base64.decode(text.utf8.dropFirst(6)),
            (24...64).contains(key.count)
        else { return nil }
        return key
    }
}

extension GatewayFault {
    /// Why there is no answer.
    /// - Parameter mayHaveArrived: the request was sent.
    init(_ fault: OutboundFault, mayHaveArrived: Bool) {
        let reason: String =
            switch fault {
            case .timeout: "no answer in time"
            case .connect: "no connection"
            case .tooLarge: "the answer is too large"
            case .cancelled: "cancelled"
            case .failed(let reason): reason
            }
        self.init(reason, kind: mayHaveArrived ? .unsure : .busy)
    }
}

extension GatewaySpecification.Answer {
    /// Reads an answer.
    /// - Returns: the carrier's ID of the message.
    func read(_ response: OutboundResponse, longestRetryAfter: Duration) throws(GatewayFault) -> String? {
        let document = try? JSONValue.parse(response.body, limits: .ofCarriers)
        if isAccepted(response, document) { return id(in: response.body, document) }
        let found = document.flatMap { document in code.lazy.compactMap { $0.text(in: document) }.first }
        // Only a code that is fit for a log, because it is the other side's text.
        let shown = MessageReceipt(nil, code: found).code
        let kind = shown.flatMap { kinds[$0] } ?? statusKinds[response.status] ?? Self.kind(of: response.status)
        let reason = "HTTP status \(response.status)" + (shown.map { ", code \($0)" } ?? "")
        throw GatewayFault(
            reason, kind: kind, code: shown, retryAfter: response.retryAfter.map { min($0, longestRetryAfter) })
    }

    private func isAccepted(_ response: OutboundResponse, _ document: JSONValue?) -> Bool {
        let isGoodStatus =
            statuses.isEmpty ? (200..<300).contains(response.status) : statuses.contains(response.status)
        guard isGoodStatus else { return false }
        guard prefixes.isEmpty || prefixes.contains(where: { response.body.starts(with: $0) }) else { return false }
        return conditions.allSatisfy { condition in
            guard let text = document.flatMap({ condition.pointer.text(in: $0) }) else { return false }
            return condition.values.contains { $0.utf8.elementsEqual(text.utf8) }
        }
    }

    private func id(in body: [UInt8], _ document: JSONValue?) -> String? {
        if let id, let document { return id.text(in: document) }
        guard let between = idBetween, let start = body.firstRange(of: between.before)?.upperBound,
            let end = body[start...].firstRange(of: between.after)?.lowerBound
        else { return nil }
        return String(decoding: body[start..<end], as: UTF8.self)
    }

    /// The meaning of a status if the body says nothing known.
    private static func kind(of status: Int) -> GatewayFault.Kind {
        switch status {
        case 401, 402, 403, 407: .account
        case 408, 425, 429: .busy
        case 400, 413, 414, 415, 422: .ours
        case 400..<500: .route
        case 500..<600: .busy
        case 300..<400: .ours
        default: .route
        }
    }
}
