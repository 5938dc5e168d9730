internal import StrictJSON
internal import Text

/// The description as a page for people, made from the document alone: a table of contents, then every operation by
/// surface. Complete in itself, without script or anything that has to be fetched.
struct DocumentPage: Sendable {
    private let document: JSONObject
    private let reader: SchemaReader

    init(_ document: JSONObject) {
        self.document = document
        reader = SchemaReader(document)
    }

    static func headers(_ sha256: ([UInt8]) -> [UInt8]) -> [(name: String, value: String)] {
        let digest = Base64.encode(sha256(Array(DocumentStyle.text.utf8)))
        return [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Language", "en"),
            (
                "Content-Security-Policy",
                """
                default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; \
                frame-ancestors 'none'
                """
            ),
            ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ]
    }

    var html: HTML { page(title: "Holdfast API") }

    private func page(title: String) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <style>\(DocumentStyle.markup)</style>
        </head>
        <body>
        <header>
        <h1>\(title)</h1>
        <p class="lead">\(document["info"]?.object?["summary"]?.string ?? "")</p>
        <nav aria-label="Contents">\(contents)</nav>
        </header>
        <main>
        \(introduction)
        \(joined(groups.map(section)))
        \(webhookTable)
        \(schemas)
        </main>
        </body>
        </html>

        """
    }

    // MARK: parts

    private struct Entry {
        let method: String
        let path: String
        let operation: JSONObject
        var id: String { operation["operationId"]?.string ?? "" }
        var summary: String { operation["summary"]?.string ?? "" }
    }

    private struct Group {
        let name: String
        let about: String
        let entries: [Entry]
        var anchor: String { name.lowercased().split(separator: " ").joined(separator: "-") }
    }

    /// Preflights are left out: a browser makes them, and one sentence says so.
    private var groups: [Group] {
        let entries = (document["paths"]?.object?.members ?? []).flatMap { path in
            (path.value.object?.members ?? []).filter { $0.name != "options" }.map {
                Entry(method: $0.name.uppercased(), path: path.name, operation: $0.value.object ?? JSONObject())
            }
        }
        return (document["tags"]?.array ?? []).compactMap(\.object).map { tag in
            let name = tag["name"]?.string ?? ""
            return Group(
                name: name, about: tag["description"]?.string ?? "",
                entries: entries.filter { $0.operation["tags"]?.array?.first?.string == name })
        }
    }

    private var contents: HTML {
        let lists = groups.map { group -> HTML in
            let lines = group.entries.map { entry -> HTML in
                "<li><a href=\"#\(entry.id)\">\(entry.summary)</a></li>"
            }
            return "<h2><a href=\"#\(group.anchor)\">\(group.name)</a></h2><ul>\(joined(lines))</ul>"
        }
        return """
            <details open><summary>Contents</summary>\(joined(lists))\
            \(webhooks.isEmpty ? .empty : "<h2><a href=\"#webhooks\">Webhooks</a></h2>")\
            <h2><a href="#schemas">Schemas</a></h2></details>
            """
    }

    private var introduction: HTML {
        let info = document["info"]?.object
        let servers = (document["servers"]?.array ?? []).compactMap { $0.object?["url"]?.string }
        return """
            <p>\(info?["description"]?.string ?? "")</p>
            <p>Server: <code>\(servers.joined(separator: ", "))</code>. This page as a document for programs: \
            <a href="/openapi.json">/openapi.json</a>.</p>
            \(generalErrors)
            """
    }

    private func section(_ group: Group) -> HTML {
        """
        <section aria-labelledby="\(group.anchor)">
        <h2 id="\(group.anchor)">\(group.name)</h2>
        <p>\(group.about)</p>
        \(joined(group.entries.map(article)))
        </section>
        """
    }

    private func article(_ entry: Entry) -> HTML {
        let operation = entry.operation
        return """
            <article id="\(entry.id)">
            <h3><a href="#\(entry.id)">\(entry.summary)</a></h3>
            <p class="call"><span class="method \(entry.method.lowercased())">\(entry.method)</span> \
            <code>\(entry.path)</code></p>
            <p>\(operation["description"]?.string ?? "")</p>
            <p class="caller"><b>Who may call</b> \(caller(operation))</p>
            \(parameters(operation))
            \(request(operation))
            \(answers(operation))
            </article>
            """
    }

    private func caller(_ operation: JSONObject) -> HTML {
        let names = (operation["security"]?.array ?? []).compactMap { $0.object?.names.first }
        guard let name = names.first else { return "anyone" }
        let scheme = document["components"]?.object?["securitySchemes"]?.object?[name]?.object
        return "\(scheme?["description"]?.string ?? name)"
    }

    private func parameters(_ operation: JSONObject) -> HTML {
        let rows = (operation["parameters"]?.array ?? []).compactMap(\.object).map { parameter -> FieldRow in
            FieldRow(
                name: parameter["name"]?.string ?? "", place: parameter["in"]?.string,
                isRequired: parameter["required"]?.bool ?? false, type: reader.type(of: parameter["schema"]),
                about: parameter["description"]?.string ?? "")
        }
        return rows.isEmpty ? .empty : "<h4>Parameters</h4>\(FieldRow.table(rows))"
    }

    private func request(_ operation: JSONObject) -> HTML {
        guard let body = operation["requestBody"]?.object, let content = body["content"]?.object?.members.first,
            let media = content.value.object
        else { return .empty }
        let rows = reader.rows(of: media["schema"])
        let note: HTML = body["required"]?.bool == true ? .empty : ", may be left out"
        let table: HTML = rows.isEmpty ? .empty : FieldRow.table(rows)
        let isForm = content.name == RequestBody.form
        let sample =
            media["example"].map { example -> HTML in
                "<pre><code>\(isForm ? Self.form(example) : PrettyJSON.text(example))</code></pre>"
            } ?? .empty
        return "<h4>Request <small>\(content.name)\(note)</small></h4>\(table)\(sample)"
    }

    /// The example as `curl -d` takes it. The examples of forms have no characters that need encoding.
    private static func form(_ example: JSONValue) -> String {
        (example.object?.members ?? []).map { "\($0.name)=\($0.value.string ?? "")" }.joined(separator: "&")
    }

    private func answers(_ operation: JSONObject) -> HTML {
        var parts: [HTML] = []
        var errors: [HTML] = []
        for member in operation["responses"]?.object?.members ?? [] {
            guard let response = member.value.object, response["$ref"] == nil else { continue }
            let isError = (Int(member.name) ?? 0) >= 400
            if isError {
                errors.append(contentsOf: errorRows(member.name, response))
            } else {
                parts.append(answer(member.name, response))
            }
        }
        return joined(parts + [errors.isEmpty ? .empty : Self.errorTable("Errors", errors)])
    }

    private static func errorTable(_ title: String, _ rows: [HTML]) -> HTML {
        """
        <details><summary>\(title)</summary><div class="scroll"><table><thead><tr><th>Status</th><th>Code</th>\
        <th>Message</th></tr></thead><tbody>\(joined(rows))</tbody></table></div></details>
        """
    }

    /// Errors that any call may answer, once.
    private var generalErrors: HTML {
        let response = document["components"]?.object?["responses"]?.object?[DescribedErrors.general]?.object
        let media = response?["content"]?.object?["application/json"]?.object
        let rows = (media?["examples"]?.object?.members ?? []).map { example -> HTML in
            let body = example.value.object?["value"]?.object
            let code = body?["code"].map { PrettyJSON.text($0) } ?? ""
            return Self.errorRow(example.name, code, body?["message"]?.string ?? "")
        }
        return rows.isEmpty ? .empty : Self.errorTable("Errors of every call", rows)
    }

    private static func errorRow(_ status: String, _ code: String, _ message: String) -> HTML {
        "<tr><td>\(status)</td><td><code>\(code)</code></td><td>\(message)</td></tr>"
    }

    private func answer(_ status: String, _ response: JSONObject) -> HTML {
        let about = response["description"]?.string ?? ""
        guard let content = response["content"]?.object?.members.first, let media = content.value.object else {
            return "<h4>\(status) <small>\(about)</small></h4>"
        }
        let schema = media["schema"]
        let shape: HTML
        if let link = reader.name(of: schema), !reader.isOfOneCall(link) {
            shape = "<p>Body: <a href=\"#schema-\(link)\">\(link)</a></p>"
        } else {
            let rows = reader.rows(of: schema)
            shape = rows.isEmpty ? .empty : FieldRow.table(rows)
        }
        let sample = media["example"].map { "<pre><code>\(PrettyJSON.text($0))</code></pre>" as HTML } ?? .empty
        return "<h4>\(status) <small>\(about) \(content.name)</small></h4>\(shape)\(sample)"
    }

    /// One row for each example; one for the status where there is none.
    private func errorRows(_ status: String, _ response: JSONObject) -> [HTML] {
        let media = response["content"]?.object?["application/json"]?.object
        let bodies = (media?["examples"]?.object?.members ?? []).compactMap { $0.value.object?["value"]?.object }
        guard !bodies.isEmpty else {
            return ["<tr><td>\(status)</td><td></td><td>\(response["description"]?.string ?? "")</td></tr>"]
        }
        return bodies.map { body in
            let code = body["code"].map { PrettyJSON.text($0).filter { $0 != "\"" } }
            let parts = [code, body["error"]?.string].compactMap { $0 }
            let message = (body["message"] ?? body["error_description"])?.string ?? ""
            return Self.errorRow(status, parts.joined(separator: " "), message)
        }
    }

    private var webhooks: [JSONObject.Member] {
        document["components"]?.object?["pathItems"]?.object?.members ?? []
    }

    /// The events that this server tells of.
    private var webhookTable: HTML {
        guard !webhooks.isEmpty else { return .empty }
        let rows = webhooks.map { webhook -> FieldRow in
            let post = webhook.value.object?["post"]?.object
            let content = post?["requestBody"]?.object?["content"]?.object?.members.first
            return FieldRow(
                name: webhook.name, isRequired: false, type: reader.type(of: content?.value.object?["schema"]),
                about: post?["summary"]?.string ?? "")
        }
        return """
            <section aria-labelledby="webhooks"><h2 id="webhooks">Webhooks</h2>\
            <p>Requests that this server makes to the endpoints of an API client, one for each event.</p>\
            <article>\(FieldRow.table(rows))</article></section>
            """
    }

    private var schemas: HTML {
        let all = (document["components"]?.object?["schemas"]?.object?.members ?? []).filter {
            !reader.isOfOneCall($0.name)
        }
        let parts = all.map { schema -> HTML in
            """
            <article id="schema-\(schema.name)"><h3><a href="#schema-\(schema.name)">\(schema.name)</a></h3>\
            \(FieldRow.table(reader.rows(of: schema.value)))</article>
            """
        }
        return "<section aria-labelledby=\"schemas\"><h2 id=\"schemas\">Schemas</h2>\(joined(parts))</section>"
    }
}

func joined(_ parts: [HTML], by separator: String = "\n") -> HTML {
    HTML(trusted: parts.map(\.text).joined(separator: separator))
}
