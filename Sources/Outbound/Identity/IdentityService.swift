package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// Finds people by number with the operator's own HTTP service (`SignedService`). Its answers are not stored.
///
///     {"phoneNumber":"+12001004014"}
///
///     200 {"firstName":"Lorant","lastName":"Nerger","dob":"1984-12-10","ssn":"327601423","emailAddresses":["a@b.c"],
///          "addresses":[{"address":"1 Main St","city":"C","region":"TX","postalCode":"78285"}]}
///     404 no person has that number; the body is ignored
///
/// `IdentityAnswer` has the rules for the person. Any other status (including a redirect), a body of more than 64 KiB,
/// a body that breaks the rules, and no answer within the timeout: the service is unavailable for this call.
package struct IdentityService: IdentitySource {
    private let service: SignedService

    package init(_ service: SignedService) {
        self.service = service
    }

    /// False while its circuit is open: a call would be refused.
    package var isAvailable: Bool { service.isAvailable }

    package func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        do throws(ServiceFailure) {
            return try await service.ask(["phoneNumber": .string(number.e164)]) {
                (response) throws(ServiceFailure) in
                try IdentityAnswer(response, about: number).person
            }
        } catch {
            throw .unavailable(reason: "identity service: " + error.reason)
        }
    }
}
