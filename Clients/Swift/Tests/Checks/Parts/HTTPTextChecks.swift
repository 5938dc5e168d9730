import Foundation
import Holdfast

/// HTTP as bytes, which only connections of Apple's platforms use.
func runHTTPText(_ report: Report) async {
    for (name, text, body) in whole {
        await attempt("http: \(name), split at every byte", report) {
            let bytes = Data(text.utf8)
            for end in 0..<bytes.count {
                guard try HTTPText.response(bytes.prefix(end), isAll: false) == nil else {
                    throw Failure("a response after \(end) of \(bytes.count) bytes")
                }
                guard (try? HTTPText.response(bytes.prefix(end), isAll: true)) == nil else {
                    throw Failure("one that is cut after \(end) bytes passes")
                }
            }
            let response = try HTTPText.response(bytes, isAll: false)
            try same(response.map { String(decoding: $0.body, as: UTF8.self) }, body, "body")
        }
    }
    await attempt("http: a body that ends with the connection", report) {
        let bytes = Data("HTTP/1.1 200 OK\r\n\r\nwhole".utf8)
        try same(try HTTPText.response(bytes, isAll: false)?.status, nil, "status while it is open")
        try same(try HTTPText.response(bytes, isAll: true)?.body, Data("whole".utf8), "body")
    }
    for text in malformed {
        await attempt("http: refused: \(text.prefix(40).debugDescription)", report) {
            guard (try? HTTPText.response(Data(text.utf8), isAll: true)) == nil else { throw Failure("it passes") }
        }
    }
    await attempt("http: a request", report) {
        guard let url = URL(string: "https://operator.example:8443/a%20b?c=d#e") else { throw Failure("no URL") }
        let text = HTTPText.request(HTTPRequest(method: "GET", url: url)).map { String(decoding: $0, as: UTF8.self) }
        let lines = ["GET /a%20b?c=d HTTP/1.1", "Host: operator.example:8443", "Accept: application/json"]
        try same(text, (lines + ["Connection: close", "", ""]).joined(separator: "\r\n"), "request")
        let split = HTTPRequest(method: "GET", url: url, headers: ["A": "b\r\nC: d"])
        try same(HTTPText.request(split), nil, "one with a header in a header")
    }
}

private let whole: [(String, String, String?)] = [
    ("a length", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"vfp\":\"v\"}", "{\"vfp\":\"v\"}"),
    ("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\n", "hello!"),
    ("a redirect", "HTTP/1.1 303 See Other\r\nlocation: /x\r\nContent-Length: 0\r\n\r\n", ""),
    ("an interim response before", "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", ""),
]

private let malformed = [
    "", "hello", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    "HTTP/1.1 999 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
]
