internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /v3/verify`: whether a number belongs to the person the backend takes it for. Whoever passes is enrolled.
///
///     {"phoneNumber":"2001004053","verificationType":"verifiedUser","firstName":"Elena","lastName":"Coldman"}
///     ->  200 {"success":"true","correlationId":"0193...","phoneNumber":"2001004053","proveId":"0193...",
///              "identity":{"assuranceLevel":"AL1","reasons":["AL1b"]},"isEnrolled":true, ...}
///
/// `VerificationFinding` has the rules. There is no `provePhoneAlias`: `proveId` is what a tenant may call a number.
struct VerifyPerson: Sendable {
    let service: VerificationService

    /// Nobody should wait for the businesses that this type asks for.
    private static let noBusinesses = "prefillForBiz finds no businesses: this server has no source of them"

    /// - Throws: `.body`, `.field`, `.numberNotServed`, `.rateLimited`, `.numberStopped`, `.sourceUnavailable`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from tenant: Tenant) async throws(PlatformError) -> Response {
        let fields = try IdentityBody.person.reader(of: request)
        let order: VerificationService.Order
        do throws(FieldDefect) { order = try Self.order(fields) } catch { throw .field(error) }
        let verification: VerificationService.Verification
        let id: CorrelationID
        do throws(PlatformRefusal) {
            id = try service.freshCorrelationID()
            verification = try await service.verify(order, for: tenant)
        } catch {
            throw PlatformError(error)
        }
        let view = VerificationView(verification)
        var object = JSONObject()
        object.set("success", view.success)
        object.set("message", order.question == .business ? Self.noBusinesses : nil)
        object.set("correlationId", id.text)
        object.set("phoneNumber", verification.number.asSent)
        object.set("proveId", verification.holderID?.text)
        object.set("clientRequestId", order.references.clientRequestID)
        object.set("clientCustomerId", order.references.clientCustomerID)
        object.set("clientHumanId", order.references.clientHumanID)
        object.set("identity", view.identity)
        if verification.holderID != nil { object.set("isEnrolled", true) }
        object.set("evaluation", view.evaluation)
        return .json(200, object)
    }

    /// Every member in the order of the documentation (Prove 7.1). Also what an item of a batch is read by.
    static func order(_ fields: FieldReader) throws(FieldDefect) -> VerificationService.Order {
        let phoneNumber = try fields.text("phoneNumber", .phoneNumber)
        let type = try fields.requiredChoice("verificationType", VerificationType.allCases)
        var order = VerificationService.Order(type.question)
        order.phoneNumber = phoneNumber
        order.names = SubmittedPerson(
            firstName: try fields.text("firstName", .freeText(Person.Limit.nameCharacters)),
            lastName: try fields.text("lastName", .freeText(Person.Limit.nameCharacters)))
        _ = try fields.text("emailAddress", .emailAddress)
        _ = try fields.text("ipAddress", .ipAddress)
        _ = try fields.text("userAgent", .userAgent)
        order.references.clientRequestID = try fields.text("clientRequestId", .reference)
        order.references.clientCustomerID = try fields.text("clientCustomerId", .reference)
        order.references.clientHumanID = try fields.text("clientHumanId", .reference)
        order.attributes = try fields.attributes("identityAttributes")
        order.holderID = try fields.identifier("proveId", HolderID.self)
        if type.needsNames {
            if order.names.firstName == nil { throw .missing("firstName") }
            if order.names.lastName == nil { throw .missing("lastName") }
        }
        if phoneNumber == nil, order.holderID == nil { throw .missing("phoneNumber") }
        return order
    }
}
