internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Rules for members of the calls of an app's backend.
extension Input where Value == String {
    /// A name that the caller gives to its own objects.
    static var reference: Input { text(.reference) }
    static var phoneNumber: Input { text(.phoneNumber) }
    /// A number as a person types it.
    static var typedNumber: Input { typed(.phoneNumber) }
    static var emailAddress: Input { text(.emailAddress) }
    static var ipAddress: Input { text(.ipAddress) }

    /// An ID issued by the server. An ID in any other form counts as unknown, and is answered with 8008.
    static var sessionID: Input { anyText.described(as: .givenIdentifier) }
}

extension Input where Value == FinalTargetURL {
    /// A port is optional, up to 65,535; the API client must have registered the host.
    static var finalTargetURL: Input {
        Input(
            .text(
                least: 1, most: FinalTargetURL.maxCharacters,
                pattern:
                    #"^https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{0,4})?([/?][A-Za-z0-9._+=/:?-]*)?$"#
            )
        ) { (fields, _) throws(FieldDefect) in try fields.finalTargetURL() }
    }
}

extension Input where Value == MessageTemplate {
    static var messageTemplate: Input {
        Input(.text(least: 1, most: MessageTemplate.maxCharacters)) { (fields, name) throws(FieldDefect) in
            try fields.messageTemplate(name)
        }
    }
}

extension Input where Value == PartialDate {
    static var dob: Input {
        Input(.text(pattern: "^$|^(\(year)-)?\(month)-(0[1-9]|[12][0-9]|3[01])$|^\(year)-\(month)$")) {
            (fields, name) throws(FieldDefect) in try fields.dob(name)
        }
    }

    private static var year: String { "(19|[2-9][0-9])[0-9]{2}" }
    private static var month: String { "(0[1-9]|1[0-2])" }
}

extension Input where Value == PartialSSN {
    static var ssn: Input {
        Input(.text(pattern: #"^$|^\d{4}$|^\d{9}$"#)) { (fields, name) throws(FieldDefect) in try fields.ssn(name) }
    }
}

extension Input where Value == SubmittedPerson {
    static var individual: Input {
        Input(PersonSchemas.submitted) { (fields, name) throws(FieldDefect) in
            guard let individual = try fields.object(name) else { return nil }
            return try IndividualReader(individual, at: name + ".").submitted()
        }
    }
}
