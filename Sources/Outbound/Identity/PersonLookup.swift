package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// Finds people with the operator's own HTTP service, by the credentials that they give (`SignedService`). Only the
/// destination of messages is stored from its answers.
///
///     {"clientId":"sandbox","credentials":{"clientNumber":"12345"}}
///
///     200 {"phoneNumber":"+12001004014"}
///     200 {"emailAddress":"lorant@example.com","personId":"4711","language":"de"}
///     404 no person is found; the body is ignored
///
/// The answer has either the number, with its `+`, or the address; `personId` and `language` may be left out. Any other
/// status (including a redirect), a body that breaks these rules, and no answer within the timeout: the service is
/// unavailable for this call.
package struct PersonLookup: PersonFinder {
    private let service: SignedService

    package init(_ service: SignedService) {
        self.service = service
    }

    /// False while its circuit is open: a call would be refused.
    package var isAvailable: Bool { service.isAvailable }

    package func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        let said = JSONObject(identification.entries.map { ($0.name, .string($0.value)) })
        do throws(ServiceFailure) {
            return try await service.ask(["clientId": .string(client.text), "credentials": .object(said)]) {
                (response) throws(ServiceFailure) in try Self.person(in: response)
            }
        } catch {
            throw .unavailable(reason: "person lookup: " + error.reason)
        }
    }

    private static func person(in response: OutboundResponse) throws(ServiceFailure) -> FoundPerson? {
        switch response.status {
        case 200: break
        case 404: return nil
        // Concerns only this request.
        case 400, 422: throw ServiceFailure("\(response.status)", .answered)
        default: throw ServiceFailure("\(response.status)", .failed)
        }
        let object: JSONObject
        do { object = try JSONObject.parse(response.body) } catch {
            throw ServiceFailure("200 without a JSON object", .failed)
        }
        let target: Target
        switch (try text(object, "phoneNumber"), try text(object, "emailAddress")) {
        case (let text?, nil):
            guard let number = PhoneNumber(e164: text) else { throw defect("phoneNumber", "is no number with its +") }
            target = .number(number)
        case (nil, let text?):
            guard let address = EmailAddress(text) else { throw defect("emailAddress", "is no e-mail address") }
            target = .email(address)
        case (nil, nil): throw defect("phoneNumber", "is missing")
        case (_?, _?): throw defect("emailAddress", "stands beside a phoneNumber")
        }
        let language = try text(object, "language")
        let tag = language.flatMap { LanguageTag($0) }
        guard language == nil || tag != nil else { throw defect("language", "is no language tag") }
        let id = try text(object, "personId")
        guard (id?.utf8.count ?? 0) <= Person.Limit.textBytes else { throw defect("personId", "is too long") }
        return FoundPerson(target: target, language: tag, id: id)
    }

    /// A malformed record. It does not count against the service, so that a caller that requests it repeatedly cannot
    /// open its circuit.
    private static func defect(_ field: String, _ reason: String) -> ServiceFailure {
        ServiceFailure("200, \(field) \(reason)", .answered)
    }

    /// `null` and an empty text count as absent.
    private static func text(_ object: JSONObject, _ name: String) throws(ServiceFailure) -> String? {
        guard let value = object[name], value != .null, value != "" else { return nil }
        guard let text = value.string, Person.isPrintable(text) else { throw defect(name, "must be text") }
        return text
    }
}
