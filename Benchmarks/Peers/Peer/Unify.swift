import Crypto
import Foundation
import Hummingbird

/// `POST /v3/unify` and `/v3/unify-status` as the product does them: who calls, is it a tenant, is the number one of the
/// sandbox's, ids, signature, sealing, two rows, and the answer when they are durable.
struct Unify: Sendable {
    let tokens: Tokens
    let store: SessionStore
    let writer: any SessionWriter
    private let sealingKey = SymmetricKey(size: .bits256)
    /// The product's table of sandbox numbers, in its two spellings.
    private let numbers = ["2001004014": "+12001004014", "+12001004014": "+12001004014"]

    init(tokens: Tokens, store: SessionStore, writer: any SessionWriter) {
        self.tokens = tokens
        self.store = store
        self.writer = writer
    }

    struct Order: Decodable {
        enum Flow: String, Decodable { case mobile, desktop }

        let possessionType: Flow
        let phoneNumber: String
        let clientRequestId: String?
    }

    struct Answer: ResponseEncodable {
        let correlationId: String
        let success: String
        let authToken: String
    }

    struct StatusOrder: Decodable { let correlationId: UUID }

    struct StatusAnswer: ResponseEncodable {
        let success: String
        let clientRequestId: String?
    }

    func add(to router: Router<BasicRequestContext>) {
        router.post("/v3/unify") { request, context in try await start(request, context) }
        router.post("/v3/unify-status") { request, context in try await status(request, context) }
    }

    private func admit(_ request: Request) async throws -> TenantRecord {
        guard let value = request.headers[.authorization], value.hasPrefix("Bearer "),
            let id = try? await tokens.tenant(of: String(value.dropFirst("Bearer ".count))),
            let tenant = try await store.tenant(id), tenant.revoked_at_ms == nil
        else { throw HTTPError(.unauthorized) }
        return tenant
    }

    private func start(_ request: Request, _ context: BasicRequestContext) async throws -> Answer {
        let tenant = try await admit(request)
        let order = try await request.decode(as: Order.self, context: context)
        guard let number = numbers[order.phoneNumber], (order.clientRequestId?.utf8.count ?? 0) <= 255 else {
            throw HTTPError(.badRequest)
        }
        let now = Date()
        let correlationID = Bytes.timeOrderedID(at: now)
        let authID = Bytes.timeOrderedID(at: now)
        let token = try await tokens.authToken(for: authID.text, at: now)
        let milliseconds = Int64(now.timeIntervalSince1970 * 1000)
        let flow = order.possessionType.rawValue
        let session = SessionRecord(
            correlation_id: correlationID.data, auth_id: authID.data, client_id: tenant.client_id,
            record_sealed: try seal(
                [order.clientRequestId ?? "", order.phoneNumber, number, flow], of: tenant, at: milliseconds,
                for: correlationID))
        let event = EventRecord(
            correlation_id: correlationID.data, number: 0, kind: "created", at_ms: milliseconds, detail: flow)
        try await writer.insert(NewSession(session: session, event: event))
        return Answer(correlationId: correlationID.text, success: "pending", authToken: token)
    }

    /// Under AES-256-GCM, bound to column and row: texts of up to 255 bytes, the start and end, the tenant's rules, and the
    /// state of a new session, which has 30 numbers of one byte in the product's record.
    private func seal(
        _ texts: [String], of tenant: TenantRecord, at milliseconds: Int64, for id: UUID
    ) throws -> Data {
        var record = Data([1])
        for text in texts {
            record.append(UInt8(text.utf8.count))
            record.append(contentsOf: text.utf8)
        }
        for time in [milliseconds, milliseconds + 900_000] {
            withUnsafeBytes(of: time.bigEndian) { record.append(contentsOf: $0.suffix(6)) }
        }
        for rule in [tenant.mobile_auth, tenant.allow_phone_change, tenant.link_match_code, tenant.link_same_address] {
            record.append(rule ? 1 : 0)
        }
        record.append(contentsOf: [UInt8](repeating: 1, count: 30))
        guard let sealed = try AES.GCM.seal(record, using: sealingKey, authenticating: place(of: id)).combined else {
            throw HTTPError(.internalServerError)
        }
        return Data([1, 1]) + sealed
    }

    private func place(of id: UUID) -> Data { Data("sessions.record_sealed\0".utf8) + id.data }

    private func status(_ request: Request, _ context: BasicRequestContext) async throws -> StatusAnswer {
        let tenant = try await admit(request)
        let order = try await request.decode(as: StatusOrder.self, context: context)
        guard let session = try await store.session(order.correlationId.data), session.client_id == tenant.client_id,
            let box = try? AES.GCM.SealedBox(combined: session.record_sealed.dropFirst(2)),
            let record = try? AES.GCM.open(box, using: sealingKey, authenticating: place(of: order.correlationId))
        else { throw HTTPError(.badRequest) }
        let fields = [UInt8](record.dropFirst())
        let name = fields.first.map { String(decoding: fields.dropFirst().prefix(Int($0)), as: UTF8.self) }
        return StatusAnswer(success: "pending", clientRequestId: name)
    }
}
