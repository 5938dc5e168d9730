internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/identity/batch`: enrols up to 100 at once. An item that cannot be enrolled gets a reason at its position.
///
///     {"items":[{"phoneNumber":"2001004031"},{"phoneNumber":"1"}]}
///     ->  200 {"results":[{"proveId":"0193...", ...},{"error":"field 'phoneNumber' is not a possible phone number"}]}
///
/// The list may be called `identities` instead (Prove section 8).
struct EnrolIdentities: PlatformEndpoint {
    typealias Item = BatchItem<IdentityManager.Order>
    typealias Enrolled = Result<HolderID, PlatformRefusal>

    let manager: IdentityManager

    static let call = Call(
        .post, "/v3/identity/batch", id: "enrolIdentities", "Enrol up to 100 identities",
        "Answered in the order of the items. What cannot be enrolled has its error; the rest are enrolled as one step.",
        body: .json(#"{"items":[{"phoneNumber":"2001004014"},{"phoneNumber":"1"}]}"#, upTo: .batch),
        demand: .begins)
    static let body = Shape([Item](), refine: needingOneList) {
        Member.requestID
        Member.whole([
            may("items", list.schema, "1 to 100 numbers, or identities of linked domains."),
            may("identities", list.schema, "Another name of items."),
        ]) { (fields, items) throws(FieldDefect) in items = try Self.items(fields) }
    }
    static let reply = Reply<[Enrolled]> {
        ReplyMember.always("results", .list(of: .object(result)), "One for each item, in the same order.") { $0 }
    }

    private static let list = Input.batch(of: EnrolmentItem.shape, most: Identity.Limit.batch)
    private static let result = Reply<Enrolled>(name: "Enrolment") {
        ReplyMember.whenThere("proveId", .identifier(), "The number, as the caller's own. Absent with error.") {
            try? $0.get()
        }
        ReplyMember.whenThere("identityId", .identifier(), "The same value as proveId.") { try? $0.get() }
        ReplyMember.whenThere("error", .text, "The reason why it was not enrolled.") {
            if case .failure(let refusal) = $0 { PlatformError(refusal).message } else { nil }
        }
    }

    /// If it throws, nothing was enrolled.
    func respond(
        to items: [Item], of request: Request, from tenant: Tenant
    ) async throws(PlatformRefusal) -> [Enrolled] {
        try await manager.enrol(all: items.map(\.order), for: tenant)
    }

    private static func items(_ fields: FieldReader) throws(FieldDefect) -> [Item] {
        let isOther = try fields.array("identities") != nil
        if isOther, try fields.array("items") != nil {
            throw FieldDefect("identities", "must not stand beside 'items'")
        }
        guard let items = try list.read(fields, isOther ? "identities" : "items") else { throw .missing("items") }
        return items
    }

    private static func needingOneList(_ schema: Schema) -> Schema {
        schema.with("if", ["not": ["required": ["items"]]]).with("then", ["required": ["identities"]])
    }
}
