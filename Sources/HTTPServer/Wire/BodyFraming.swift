/// How the body of a request is framed (RFC 9112 section 6).
enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked
}
