internal import StrictJSON
internal import SurfaceKit

/// The page of one call: purpose, samples, parameters, bodies, answers, errors, and a form to try it.
struct CallPage: Sendable {
    let call: ReferenceDocument.Call
    let document: ReferenceDocument
    /// Whether the page may call the server: only a sandbox has no data that a page could damage.
    let isSandbox: Bool
    private let reader: SchemaReader
    private let sample: SampleRequest

    init(_ call: ReferenceDocument.Call, in document: ReferenceDocument, isSandbox: Bool) {
        self.call = call
        self.document = document
        self.isSandbox = isSandbox
        reader = SchemaReader(document.object)
        sample = SampleRequest(call, in: document)
    }

    var html: HTML {
        """
        <p class="crumbs"><a href="\(document.address)">\(document.heading)</a></p>
        <h1>\(call.summary)</h1>
        <p class="call"><span class="method \(call.method.lowercased())">\(call.method)</span> <code>\(call.path)</code></p>
        <p>\(call.about)</p>
        <p><strong>Who may call</strong>: \(caller)</p>
        \(samples)
        \(isSandbox ? TryForm(sample, call).html : .empty)
        \(parameters)
        \(requestBody)
        \(answers)
        \(errors)
        \(shapes)
        """
    }

    // MARK: Parts

    private var caller: HTML {
        let names = (call.operation["security"]?.array ?? []).compactMap { $0.object?.names.first }
        let schemes = document.object["components"]?.object?["securitySchemes"]?.object
        let texts = names.map { schemes?[$0]?.object?["description"]?.string ?? $0 }
        return texts.isEmpty ? "anyone" : "\(texts.joined(separator: " Or: "))"
    }

    private var samples: HTML {
        let parts = CodeSamples(request: sample).all.enumerated().map { index, sample -> HTML in
            """
            <details name="sample"\(index == 0 ? " open" : .empty)><summary>\(sample.language)</summary>\
            <pre data-language="\(sample.language)"><code>\(sample.code)</code></pre></details>
            """
        }
        return "<h2 id=\"samples\">Samples</h2><div class=\"samples\">\(joined(parts))</div>"
    }

    private var parameters: HTML {
        let rows = (call.operation["parameters"]?.array ?? []).compactMap(\.object).map { parameter in
            FieldRow(
                name: parameter["name"]?.string ?? "", place: parameter["in"]?.string,
                isRequired: parameter["required"]?.bool ?? false, type: reader.type(of: parameter["schema"]),
                about: parameter["description"]?.string ?? "")
        }
        return rows.isEmpty ? .empty : "<h2 id=\"parameters\">Parameters</h2>\(FieldRow.table(rows))"
    }

    private var requestBody: HTML {
        guard let body = call.operation["requestBody"]?.object, let content = body["content"]?.object?.members.first
        else { return .empty }
        let note: HTML = body["required"]?.bool == true ? .empty : ", may be left out"
        let rows = reader.rows(of: content.value.object?["schema"])
        let table: HTML = rows.isEmpty ? .empty : FieldRow.table(rows)
        return "<h2 id=\"request\">Request <small>\(content.name)\(note)</small></h2>\(table)"
    }

    /// Answers with a status below 400.
    private var answers: HTML {
        let parts = responses.filter { !$0.isError }.map { status, response, _ -> HTML in
            let about = response["description"]?.string ?? ""
            guard let content = response["content"]?.object?.members.first, let media = content.value.object else {
                return "<h3>\(status) <small>\(about)</small></h3>"
            }
            let rows = reader.rows(of: media["schema"])
            let table: HTML = rows.isEmpty ? .empty : FieldRow.table(rows)
            let example = media["example"].map(Self.example) ?? .empty
            return "<h3>\(status) <small>\(about) \(content.name)</small></h3>\(table)\(example)"
        }
        return parts.isEmpty ? .empty : "<h2 id=\"answers\">Answers</h2>\(joined(parts))"
    }

    /// A long one is collapsed: a page has at most three screens.
    private static func example(_ value: JSONValue) -> HTML {
        let text = PrettyJSON.text(value)
        let block: HTML = "<pre><code>\(text)</code></pre>"
        return text.count { $0 == "\n" } < 20 ? block : "<details><summary>Example</summary>\(block)</details>"
    }

    private var errors: HTML {
        let rows = responses.filter(\.isError).flatMap { status, response, _ in errorRows(status, response) }
        guard !rows.isEmpty else { return .empty }
        return """
            <h2 id="errors">Errors</h2>\
            <p>Cause and remedy of each: <a href="\(SitePath.root)/\(document.errors)">error index</a>.</p>\
            <details><summary>\(String(rows.count)) errors of this call</summary>\
            <table><thead><tr><th>Status</th><th>Code</th><th>Message</th></tr></thead>\
            <tbody>\(joined(rows))</tbody></table></details>
            """
    }

    /// One row for each example; if there is none, one row for the status.
    private func errorRows(_ status: String, _ response: JSONObject) -> [HTML] {
        let media = response["content"]?.object?.members.first?.value.object
        let bodies = (media?["examples"]?.object?.members ?? []).compactMap { $0.value.object?["value"]?.object }
        guard !bodies.isEmpty else {
            return ["<tr><td>\(status)</td><td></td><td>\(response["description"]?.string ?? "")</td></tr>"]
        }
        return bodies.map { body in
            let codes = ErrorBody.codes(of: body).map { "<code>\($0)</code>" as HTML }
            return
                "<tr><td>\(status)</td><td>\(joined(codes, by: " "))</td><td>\(ErrorBody.message(of: body))</td></tr>"
        }
    }

    /// Schemas that the parts above refer to.
    private var shapes: HTML {
        let bodies =
            call.operation["requestBody"]?.object?["content"]?.object?.members.map { $0.value.object?["schema"] } ?? []
        let parameters = (call.operation["parameters"]?.array ?? []).map { $0.object?["schema"] }
        let answered = responses.filter { !$0.isError }.map {
            $0.response["content"]?.object?.members.first?.value.object?["schema"]
        }
        return reader.shapes(in: parameters + bodies + answered)
    }

    private var responses: [(status: String, response: JSONObject, isError: Bool)] {
        (call.operation["responses"]?.object?.members ?? []).compactMap { member in
            guard let response = member.value.object, response["$ref"] == nil else { return nil }
            return (member.name, response, (Int(member.name) ?? 0) >= 400)
        }
    }
}

/// An error's body, in the shape of any surface.
enum ErrorBody {
    private static let codeNames = ["code", "errorCode", "error", "type", "responseObject"]

    /// The codes by which programs distinguish errors.
    static func codes(of body: JSONObject) -> [String] {
        codeNames.compactMap { name in
            switch body[name] {
            case .string(let text)?: text
            case .object(let object)?: object["code"]?.string
            case .some(let value) where value.integer != nil: value.integer.map(String.init)
            default: nil
            }
        }
    }

    static func message(of body: JSONObject) -> String {
        for name in ["message", "error_description", "description"] {
            if let text = body[name]?.string { return text }
        }
        for name in ["error", "responseObject"] {
            if let text = body[name]?.object?["message"]?.string { return text }
        }
        return ""
    }
}
