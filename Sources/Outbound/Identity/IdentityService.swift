package import Possession
internal import StrictJSON
internal import Text

/// The people that the operator's own HTTP service knows (`SignedService`). Nothing of what it says is kept.
///
///     {"phoneNumber":"+12001004014"}
///
///     200 {"firstName":"Lorant","lastName":"Nerger","dob":"1984-12-10","ssn":"327601423","emailAddresses":["a@b.c"],
///          "addresses":[{"address":"1 Main St","city":"C","region":"TX","postalCode":"78285"}]}
///     404 nobody is known under that number; the body is not looked at
///
/// `IdentityAnswer` has the rules of the person. Any other status (a redirect, too), a body of more than 64 KiB, one
/// that breaks the rules, and silence for longer than the timeout: the service is unavailable for this call.
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
