internal import StrictJSON
internal import SurfaceKit

/// A form that calls the running sandbox from the page. The site's script shows and sends it; without the script it is
/// hidden.
struct TryForm: Sendable {
    private let request: SampleRequest
    private let call: ReferenceDocument.Call

    init(_ request: SampleRequest, _ call: ReferenceDocument.Call) {
        self.request = request
        self.call = call
    }

    var html: HTML {
        """
        <details class="try" hidden><summary>Try it on this server</summary>
        <form data-method="\(call.method)" data-path="\(call.path)">
        \(login)
        \(joined(parameters))
        \(bodyField)
        <p><button type="submit">Send</button></p>
        <output aria-live="polite"></output>
        </form></details>
        """
    }

    private var login: HTML {
        switch request.login {
        case .none: .empty
        case .basic:
            "\(field("User name", "login", "user", .empty))\(field("Password", "login", "password", .empty))"
        case .header(let name, let pieces):
            field(name, "header", name, "\(pieces.isBearer ? " data-prefix=\"Bearer \"" : .empty)")
        }
    }

    private var parameters: [HTML] {
        (call.operation["parameters"]?.array ?? []).compactMap(\.object).compactMap { parameter in
            guard let name = parameter["name"]?.string, let place = parameter["in"]?.string, place != "cookie" else {
                return nil
            }
            if case .header(let login, _) = request.login, place == "header", login == name { return nil }
            return field(name, place, name, parameter["required"]?.bool == true ? " required" : .empty)
        }
    }

    private func field(_ label: String, _ place: String, _ name: String, _ attributes: HTML) -> HTML {
        """
        <label>\(label) <input name="\(name)" data-in="\(place)" autocomplete="off" spellcheck="false"\(attributes)></label>
        """
    }

    private var bodyField: HTML {
        switch request.body {
        case nil: return .empty
        case .json(let value):
            let text = PrettyJSON.text(value)
            let rows = String(min(16, text.split(separator: "\n").count + 1))
            return """
                <label>Body <textarea name="body" data-type="application/json" rows="\(rows)" spellcheck="false">\
                \(text)</textarea></label>
                """
        case .form(let fields):
            return joined(
                fields.map {
                    """
                    <label>\($0.name) <input name="\($0.name)" data-in="form" value="\($0.value)" autocomplete="off" \
                    spellcheck="false"></label>
                    """
                })
        }
    }
}

extension [SampleRequest.Piece] {
    fileprivate var isBearer: Bool {
        if case .text("Bearer ")? = first { true } else { false }
    }
}
