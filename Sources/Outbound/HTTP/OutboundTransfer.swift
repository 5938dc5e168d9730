internal import CCurl
internal import Possession
internal import Text

/// One call in libcurl: its handle, and the answer so far. Only the loop that created it may use it.
final class OutboundTransfer {
    let order: OutboundOrder
    let handle: UnsafeMutableRawPointer
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var addresses: UnsafeMutablePointer<curl_slist>?
    private var answer: OutboundAnswer
    /// For a mail; `nil`: an HTTP call.
    private var replies: MailReplies?
    private var sentBytes = 0
    /// Why libcurl was told to stop, if it was.
    private var refusal: OutboundFault?
    private var requests = 0

    /// `nil`: libcurl is out of memory, or refuses an option.
    init?(_ order: OutboundOrder, connectTimeout: Duration, limits: OutboundLimits) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.order = order
        answer = OutboundAnswer(maxHeadBytes: limits.headBytes, maxBodyBytes: order.request.maxResponseBytes)
        replies = order.request.envelope.map { MailReplies(hasLogin: $0.login != nil) }
        let results = [
            setCallbacks(), setNetwork(connectTimeout, limits), setTLS(), setRequest(order.request), setAddresses(),
        ]
        guard results.allSatisfy({ $0 == CURLE_OK }) else { return nil }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(lines)
        curl_slist_free_all(addresses)
    }

    /// The transfer that libcurl names in a callback.
    static func named(_ owner: UnsafeMutableRawPointer) -> OutboundTransfer {
        Unmanaged<OutboundTransfer>.fromOpaque(owner).takeUnretainedValue()
    }

    /// The caller's result when libcurl has finished.
    func outcome(_ result: CURLcode) -> Result<OutboundResponse, OutboundFault> {
        if let replies { return replies.outcome(result, refusal) }
        if let beginning { return .success(beginning) }
        if let fault = answer.defect ?? refusal { return .failure(fault) }
        // The proxy does not allow that target.
        if ccurl_tunnel_status(handle) >= 300 { return .failure(.connect) }
        if let fault = OutboundFault(result) { return .failure(fault) }
        // libcurl accepts an incomplete head as a whole one.
        return answer.hasHead ? .success(answer.response) : .failure(.broken)
    }

    /// The answer so far, if the call accepts that: a complete head is enough, whatever happens to the body.
    var beginning: OutboundResponse? {
        order.request.takesBeginning && refusal == nil && answer.hasHead ? answer.response : nil
    }

    // MARK: Options

    private func setNetwork(_ connectTimeout: Duration, _ limits: OutboundLimits) -> CURLcode {
        let options: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            // Otherwise the loop would wait for a look-up whose result is not needed.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, connectTimeout.wholeMilliseconds))),
            (CURLOPT_MAXAGE_CONN, Int(clamping: limits.idleTimeout.components.seconds)),
            (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
            (CURLOPT_PATH_AS_IS, 1),
        ]
        let result = set(
            options, [(CURLOPT_PROTOCOLS_STR, order.request.envelope == nil ? "http,https" : "smtp,smtps")])
        return result == CURLE_OK ? setProxy() : result
    }

    private func setProxy() -> CURLcode {
        // The environment may name a proxy.
        guard case .behind(let proxy) = order.request.addresses else {
            return set([], [(CURLOPT_PROXY, ""), (CURLOPT_NOPROXY, "*")])
        }
        return set(
            [(CURLOPT_HTTPPROXYTUNNEL, 1), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)],
            [(CURLOPT_PROXY, proxy), (CURLOPT_NOPROXY, "")])
    }

    /// If the name was already looked up, libcurl gets the result and looks nothing up itself.
    private func setAddresses() -> CURLcode {
        guard let found = order.addresses, let (name, port) = order.request.soughtName else { return CURLE_OK }
        let list = found.map(\.text).joined(separator: ",")
        let written = name.text.utf8.last == UInt8(ascii: ".") ? String(name.text.dropLast()) : name.text
        addresses = curl_slist_append(nil, "+\(written):\(port):\(list)")
        return addresses == nil ? CURLE_OUT_OF_MEMORY : ccurl_set_addresses(handle, addresses)
    }

    /// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption, and nothing older (HTTP-38).
    private func setTLS() -> CURLcode {
        set(
            [
                (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2), (CURLOPT_SSL_VERIFYPEER, 1),
                (CURLOPT_SSL_VERIFYHOST, 2),
            ],
            // The cipher list for TLS 1.2; all ciphers of TLS 1.3 qualify.
            [
                (
                    CURLOPT_SSL_CIPHER_LIST,
                    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384"
                        + ":ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
                )
            ])
    }

    private func setRequest(_ request: OutboundRequest) -> CURLcode {
        if let envelope = request.envelope { return setMail(request, envelope) }
        var result = set(request.lines, as: CURLOPT_HTTPHEADER)
        // A method with a body sends its length, even if it is 0.
        if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            if result == CURLE_OK { result = ccurl_set_number(handle, CURLOPT_POST, 1) }
            if result == CURLE_OK { result = ccurl_set_body(handle, request.body, request.body.count) }
        } else if request.method == "HEAD" {
            if result == CURLE_OK { result = ccurl_set_number(handle, CURLOPT_NOBODY, 1) }
        }
        guard result == CURLE_OK else { return result }
        return set(
            [],
            [
                (CURLOPT_CUSTOMREQUEST, request.method),
                (CURLOPT_URL, order.addresses == nil ? request.url : request.urlWithoutLastDot),
            ])
    }

    private func setMail(_ request: OutboundRequest, _ envelope: MailEnvelope) -> CURLcode {
        var result = set(["<\(envelope.to.text)>"], as: CURLOPT_MAIL_RCPT)
        if result == CURLE_OK { result = setUpload(request.body.count) }
        let seconds = max(1, Int(clamping: request.timeout.components.seconds))
        // No command of ours is sent before TLS is agreed on, unless the server is on this machine. There, plain text
        // is allowed as plain HTTP is: local relays and test servers seldom have certificates. And QUIT may not wait
        // longer than the call itself.
        let mayBePlain = envelope.authorities == nil && OutboundURL.isLocalMail(request.url)
        let encryption = mayBePlain ? CURLUSESSL_NONE : CURLUSESSL_ALL
        let numbers = [(CURLOPT_USE_SSL, Int(encryption.rawValue)), (CURLOPT_SERVER_RESPONSE_TIMEOUT, seconds)]
        // The URL's path is the name that we send in EHLO, so that it is not the machine's name.
        var texts = [
            (CURLOPT_URL, request.url + "/" + envelope.from.domain), (CURLOPT_MAIL_FROM, "<\(envelope.from.text)>"),
        ]
        if let login = envelope.login {
            texts += [(CURLOPT_USERNAME, login.user), (CURLOPT_PASSWORD, login.password.text)]
        }
        if let path = envelope.authorities { texts.append((CURLOPT_CAINFO, path)) }
        return result == CURLE_OK ? set(numbers, texts) : result
    }

    private func set(_ texts: [String], as option: CURLoption) -> CURLcode {
        for text in texts {
            guard let longer = curl_slist_append(lines, text) else { return CURLE_OUT_OF_MEMORY }
            lines = longer
        }
        return ccurl_set_lines(handle, option, lines)
    }

    private func set(_ numbers: [(CURLoption, Int)], _ texts: [(CURLoption, String)]) -> CURLcode {
        for (option, number) in numbers {
            let result = ccurl_set_number(handle, option, number)
            guard result == CURLE_OK else { return result }
        }
        for (option, text) in texts {
            let result = ccurl_set_text(handle, option, text)
            guard result == CURLE_OK else { return result }
        }
        return CURLE_OK
    }

    // MARK: Callbacks, on the loop's thread

    private func setCallbacks() -> CURLcode {
        ccurl_set_callbacks(
            handle, Unmanaged.passUnretained(self).toOpaque(),
            { bytes, size, count, owner in
                guard let owner else { return 0 }
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return OutboundTransfer.named(owner).take(line) ? line.count : 0
            },
            { bytes, size, count, owner in
                guard let owner else { return 0 }
                let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return OutboundTransfer.named(owner).answer.takeBody(part) ? part.count : 0
            },
            { owner, _, address in
                guard let owner, let address else { return CURL_SOCKET_BAD }
                return OutboundTransfer.named(owner).open(address)
            },
            { owner, remote, _, _, _ in
                guard let owner, let remote else { return CURL_PREREQFUNC_ABORT }
                let mayRequest = OutboundTransfer.named(owner).mayRequest(from: String(cString: remote))
                return mayRequest ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
    }

    /// Takes a line of an HTTP head, or of a mail server's reply.
    private func take(_ line: UnsafeRawBufferPointer) -> Bool {
        guard replies == nil else {
            replies?.take(line)
            return true
        }
        return answer.takeLine(line)
    }

    private func setUpload(_ count: Int) -> CURLcode {
        ccurl_set_upload(
            handle, Unmanaged.passUnretained(self).toOpaque(),
            { buffer, size, count, owner in
                guard let owner, let buffer else { return 0 }
                let place = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
                return OutboundTransfer.named(owner).write(to: place)
            }, count)
    }

    /// Writes the next part of a message; returns its length.
    private func write(to place: UnsafeMutableRawBufferPointer) -> Int {
        let part = order.request.body[sentBytes...].prefix(place.count)
        place.copyBytes(from: part)
        sentBytes += part.count
        // Before this, the server had no message to deliver.
        order.request.progress?.noteSent()
        return part.count
    }

    /// The socket for a connection to a resolved address; an invalid one if the call may not connect there.
    private func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        if order.request.addresses.areChecked {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = ccurl_address(address, &bytes)
            let found = count == 4 ? IPAddress(ipv4: (bytes[0], bytes[1], bytes[2], bytes[3])) : IPAddress(ipv6: bytes)
            guard count > 0, order.request.addresses.admit(found) else { return CURL_SOCKET_BAD }
        }
        return ccurl_socket(address)
    }

    /// Checks the connection before the request is written to it. Another call may have opened it under another rule;
    /// and libcurl repeats a request when a reused connection breaks, although the other side may already have acted on
    /// the first one.
    private func mayRequest(from remote: String) -> Bool {
        requests += 1
        if !order.request.addresses.admit(IPAddress(remote)) {
            refusal = .connect
        } else if requests > 1 {
            refusal = .broken
        }
        if refusal == nil, replies == nil { order.request.progress?.noteSent() }
        return refusal == nil
    }
}

extension OutboundFault {
    static var broken: OutboundFault { .failed(reason: "the connection broke") }
    static var tls: OutboundFault { .failed(reason: "TLS was not agreed on") }

    /// `nil`: no fault. libcurl's own texts are not used, because they may contain text from a peer.
    init?(_ result: CURLcode) {
        switch result {
        case CURLE_OK: return nil
        case CURLE_OPERATION_TIMEDOUT: self = .timeout
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: self = .connect
        case CURLE_URL_MALFORMAT: self = .failed(reason: "the URL is no HTTP URL")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            self = .tls
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR: self = .broken
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: self = .notHTTP
        default: self = .failed(reason: "the call broke off")
        }
    }
}
