internal import StrictJSON

/// A request in several programming languages.
struct CodeSamples: Sendable {
    let request: SampleRequest

    var all: [(language: String, code: String)] {
        [
            ("curl", curl), ("Python", python), ("JavaScript", javaScript), ("Swift", swift), ("Java", java),
        ]
    }

    // MARK: curl

    private var curl: String {
        var lines = ["curl -sS -X \(request.method) '\(request.url)'"]
        switch request.login {
        case .none: break
        case .basic(let user, let password): lines.append("-u \"$\(user):$\(password)\"")
        case .header(let name, let pieces):
            lines.append("-H \"\(name): \(text(pieces) { "$\($0)" })\"")
        }
        lines += request.headers.map { "-H '\($0.name): \($0.value)'" }
        switch request.body {
        case .json(let value):
            lines.append("-H 'Content-Type: application/json'")
            lines.append("-d '\(PrettyJSON.text(value).replacing("'", with: #"'\''"#))'")
        case .form(let fields):
            lines += fields.map { "--data-urlencode '\($0.name)=\($0.value.replacing("'", with: #"'\''"#))'" }
        case nil: break
        }
        return lines.joined(separator: " \\\n  ")
    }

    // MARK: Python

    private var python: String {
        var arguments = ["\"\(request.method)\"", "\"\(request.url)\""]
        var headers = request.headers.map { "\"\($0.name)\": \"\($0.value)\"" }
        switch request.login {
        case .none: break
        case .basic(let user, let password):
            arguments.append("auth=(os.environ[\"\(user)\"], os.environ[\"\(password)\"])")
        case .header(let name, let pieces):
            headers.append("\"\(name)\": " + sum(pieces) { "os.environ[\"\($0)\"]" })
        }
        if !headers.isEmpty { arguments.append("headers={\(headers.joined(separator: ", "))}") }
        switch request.body {
        case .json(let value): arguments.append("json=" + Self.python(value, indent: "    "))
        case .form(let fields):
            arguments.append(
                "data={\(fields.map { "\(Self.quoted($0.name)): \(Self.quoted($0.value))" }.joined(separator: ", "))}")
        case nil: break
        }
        let imports = request.variables.isEmpty ? "" : "import os\n\n"
        return """
            \(imports)import requests

            answer = requests.request(
                \(arguments.joined(separator: ",\n    ")),
                timeout=10,
            )
            print(answer.status_code, answer.text)
            """
    }

    private static func python(_ value: JSONValue, indent: String) -> String {
        let inner = indent + "    "
        switch value {
        case .object(let object) where !object.isEmpty:
            let lines = object.members.map { "\(inner)\(quoted($0.name)): \(python($0.value, indent: inner))," }
            return "{\n\(lines.joined(separator: "\n"))\n\(indent)}"
        case .array(let values): return "[\(values.map { python($0, indent: indent) }.joined(separator: ", "))]"
        case .bool(let flag): return flag ? "True" : "False"
        case .null: return "None"
        default: return PrettyJSON.text(value)
        }
    }

    // MARK: JavaScript

    private var javaScript: String {
        var fields = ["method: \"\(request.method)\""]
        let headers = headerLines(
            { "\"\($0)\": \($1)" }, variable: { "process.env.\($0)" },
            basic: { "\"Basic \" + btoa(process.env.\($0) + \":\" + process.env.\($1))" })
        if !headers.isEmpty { fields.append("headers: {\n    \(headers.joined(separator: ",\n    ")),\n  }") }
        switch request.body {
        case .json(let value): fields.append("body: JSON.stringify(\(PrettyJSON.text(value, indent: "  ")))")
        case .form(let parts): fields.append("body: new URLSearchParams({ \(Self.pairs(parts)) })")
        case nil: break
        }
        return """
            const answer = await fetch("\(request.url)", {
              \(fields.joined(separator: ",\n  ")),
            });
            console.log(answer.status, await answer.text());
            """
    }

    // MARK: Swift

    private var swift: String {
        let headers = headerLines(
            { "request.setValue(\($1), forHTTPHeaderField: \"\($0)\")" },
            variable: { "environment[\"\($0)\"]!" },
            basic: {
                "\"Basic \" + Data(\"\\(environment[\"\($0)\"]!):\\(environment[\"\($1)\"]!)\".utf8).base64EncodedString()"
            })
        var lines = ["import Foundation", ""]
        if !request.variables.isEmpty { lines.append("let environment = ProcessInfo.processInfo.environment") }
        lines.append("var request = URLRequest(url: URL(string: \"\(request.url)\")!)")
        lines.append("request.httpMethod = \"\(request.method)\"")
        lines += headers
        if let body = bodyText {
            lines.append(
                "request.httpBody = Data(#\"\"\"\n    \(body.replacing("\n", with: "\n    "))\n    \"\"\"#.utf8)")
        }
        lines.append("let (data, response) = try await URLSession.shared.data(for: request)")
        lines.append("print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))")
        return lines.joined(separator: "\n")
    }

    // MARK: Java

    private var java: String {
        let headers = headerLines(
            { "    .header(\"\($0)\", \($1))" }, variable: { "System.getenv(\"\($0)\")" },
            basic: {
                "\"Basic \" + Base64.getEncoder().encodeToString((System.getenv(\"\($0)\") + \":\" + System.getenv(\"\($1)\")).getBytes())"
            })
        let publisher =
            bodyText.map { body in
                let escaped = body.replacing("\\", with: "\\\\").replacing("\n", with: "\n        ")
                return "BodyPublishers.ofString(\"\"\"\n        \(escaped)\"\"\")"
            } ?? "BodyPublishers.noBody()"
        let lines = headers + ["    .method(\"\(request.method)\", \(publisher))"]
        let isBasic = if case .basic = request.login { true } else { false }
        return """
            import java.net.URI;
            import java.net.http.HttpClient;
            import java.net.http.HttpRequest;
            import java.net.http.HttpRequest.BodyPublishers;
            import java.net.http.HttpResponse.BodyHandlers;
            \(isBasic ? "import java.util.Base64;\n" : "")
            class Call {
              public static void main(String[] arguments) throws Exception {
                var request = HttpRequest.newBuilder(URI.create("\(request.url)"))
                \(lines.joined(separator: "\n    "))
                    .build();
                var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
                System.out.println(answer.statusCode() + " " + answer.body());
              }
            }
            """
    }

    // MARK: Parts

    /// Each header as a line of the language.
    private func headerLines(
        _ line: (_ name: String, _ value: String) -> String, variable: (String) -> String,
        basic: (_ user: String, _ password: String) -> String
    ) -> [String] {
        var lines: [String] = []
        switch request.login {
        case .none: break
        case .basic(let user, let password): lines.append(line("Authorization", basic(user, password)))
        case .header(let name, let pieces): lines.append(line(name, sum(pieces, variable)))
        }
        lines += request.headers.map { line($0.name, Self.quoted($0.value)) }
        switch request.body {
        case .json: lines.append(line("Content-Type", "\"application/json\""))
        case .form: lines.append(line("Content-Type", "\"application/x-www-form-urlencoded\""))
        case nil: break
        }
        return lines
    }

    private var bodyText: String? {
        switch request.body {
        case .json(let value): PrettyJSON.text(value)
        case .form(let fields): fields.map { "\($0.name)=\(Self.formCoded($0.value))" }.joined(separator: "&")
        case nil: nil
        }
    }

    /// Form-encoded (WHATWG URL, application/x-www-form-urlencoded).
    private static func formCoded(_ text: String) -> String {
        var coded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                coded.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): coded += "+"
            default: coded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return coded
    }

    private static func pairs(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(quoted($0.name)): \(quoted($0.value))" }.joined(separator: ", ")
    }

    /// In double quotes, in a form valid in JSON, Python, JavaScript and Java.
    private static func quoted(_ text: String) -> String { PrettyJSON.text(.string(text)) }

    private func text(_ pieces: [SampleRequest.Piece], _ variable: (String) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .variable(let name): variable(name)
            }
        }.joined()
    }

    /// The pieces, joined by `+`.
    private func sum(_ pieces: [SampleRequest.Piece], _ variable: (String) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.quoted(text)
            case .variable(let name): variable(name)
            }
        }.joined(separator: " + ")
    }
}
