internal import StrictJSON
internal import SurfaceKit

/// The page of one surface: its calls, the errors that any of them may return, and its webhooks.
struct DocumentPage: Sendable {
    let document: ReferenceDocument

    var html: HTML {
        """
        <h1>\(document.heading)</h1>
        <p>\(document.about)</p>
        <p>Server: <code>\(document.server)</code>. For programs: <a href="\(document.path)">\(document.path)</a> \
        (OpenAPI 3.1). Errors: <a href="\(SitePath.root)/\(document.errors)">error index</a>.</p>
        \(joined(document.groups.map(group)))
        \(webhooks)
        """
    }

    private func group(_ group: ReferenceDocument.Group) -> HTML {
        let lines = group.calls.map { call -> HTML in
            """
            <li><span class="method \(call.method.lowercased())">\(call.method)</span> \
            <a href="\(SitePath.call(call.id, of: document.name))">\(call.summary)</a> <code>\(call.path)</code></li>
            """
        }
        return "<h2>\(group.name)</h2><p>\(group.about)</p><ul class=\"calls\">\(joined(lines))</ul>"
    }

    /// The events that this server sends.
    private var webhooks: HTML {
        let reader = SchemaReader(document.object)
        let members = document.object["components"]?.object?["pathItems"]?.object?.members ?? []
        guard !members.isEmpty else { return .empty }
        let posts = members.map { ($0.name, $0.value.object?["post"]?.object) }
        let schemas = posts.map {
            $0.1?["requestBody"]?.object?["content"]?.object?.members.first?.value.object?["schema"]
        }
        let parts = zip(posts, schemas).map { webhook, schema -> HTML in
            let (name, post) = webhook
            let rows = reader.rows(of: schema)
            let fields: HTML = rows.isEmpty ? .empty : FieldRow.table(rows)
            return """
                <details id="webhook-\(name)"><summary><code>\(name)</code> \
                \(post?["summary"]?.string ?? "")</summary>\(fields)</details>
                """
        }
        return """
            <h2 id="webhooks">Webhooks</h2><p>Requests that this server makes to the endpoints of an API client, one for \
            each event.</p>\(joined(parts))\(reader.shapes(in: schemas))
            """
    }
}
