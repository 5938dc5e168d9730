internal import Possession
internal import SurfaceKit

// Rules for the members of requests whose message has a link, and of requests that redeem the link's code.

extension FinalTargetURL {
    /// - Throws: the defect of the field.
    fileprivate init(_ text: String, of field: String) throws(FieldDefect) {
        do throws(Defect) { self = try FinalTargetURL(text, as: .redirect) } catch {
            switch error {
            case .tooLong: throw FieldDefect(field, "is longer than \(Form.redirect.maxCharacters) characters")
            case .character:
                throw FieldDefect(field, "may have only letters, digits and - . _ ~ + = / : ? & %, and no fragment")
            case .form: throw FieldDefect(field, "must be an absolute URL")
            case .scheme: throw FieldDefect(field, "must begin with https://")
            case .host: throw FieldDefect(field, "must name a host")
            }
        }
    }

    fileprivate static var schema: Schema {
        .text(
            least: 1, most: Form.redirect.maxCharacters,
            pattern:
                #"^https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{0,4})?([/?][A-Za-z0-9._~+=/:?&%-]*)?$"#)
    }
}

extension Input where Value == FinalTargetURL {
    /// The host must be one that the API client has registered.
    static var redirect: Input {
        Input(FinalTargetURL.schema) { (fields, name) throws(FieldDefect) in
            guard let text = try fields.text(name, .any) else { return nil }
            return try FinalTargetURL(text, of: name)
        }
    }
}

extension ParameterInput where Value == FinalTargetURL {
    static var redirect: ParameterInput {
        ParameterInput(FinalTargetURL.schema) { (text, name) throws(FieldDefect) in
            try FinalTargetURL(text, of: name)
        }
    }
}

/// Rules for a verifier and its challenge (RFC 7636).
enum ProofKey {
    static let method = "S256"
    private static let lengths = 43...128

    /// The schema of a SHA-256 digest in base64url.
    static var challengeSchema: Schema { .text(least: 43, most: 43, pattern: "^[A-Za-z0-9_-]+$") }
    static var verifierSchema: Schema {
        .text(least: lengths.lowerBound, most: lengths.upperBound, pattern: "^[A-Za-z0-9._~-]+$")
    }
    static let verifierDefect = "must be 43 to 128 of A-Z a-z 0-9 - . _ ~"

    static func isVerifier(_ text: String) -> Bool {
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: "-._~".utf8.contains(byte)
                }
            }
    }
}

extension Input where Value == String {
    static var verifier: Input {
        anyText.map(orFail: ProofKey.verifierDefect) { ProofKey.isVerifier($0) ? $0 : nil }
            .described(as: ProofKey.verifierSchema)
    }
}
