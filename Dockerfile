# The server in a small image: Debian's own libraries, the Swift runtime linked in, a user of its own.
#
#   docker build -t holdfast .
#   docker run -p 127.0.0.1:8080:8080 -v holdfast:/data holdfast                     (sandbox)
#   docker run -p 8080:8080 -v holdfast:/data -v ./live.json:/etc/holdfast/live.json:ro \
#       -e HOLDFAST_CONFIG=/etc/holdfast/live.json holdfast                         (live)

# Tags as exact as they come. Package.swift names exact versions of what is fetched.
FROM swift:6.3.1-bookworm AS build
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends libsqlite3-dev libssl-dev libcurl4-openssl-dev libphonenumber-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Dependencies first: they change less often than the sources.
COPY Package.* ./
RUN swift package resolve
COPY Sources Sources
# SwiftPM reads the manifest as a whole: every test target's folder has to be there.
COPY Tests Tests
RUN swift build -c release --product holdfast --static-swift-stdlib \
    && install -D -s "$(swift build -c release --static-swift-stdlib --show-bin-path)/holdfast" /out/holdfast

FROM debian:12.11-slim
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends libsqlite3-0 libssl3 libcurl4 libphonenumber8 libstdc++6 tzdata ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin holdfast \
    && install -d -o holdfast -g holdfast -m 0700 /data
LABEL org.opencontainers.image.title="holdfast" \
    org.opencontainers.image.description="Proves that a person holds the phone number they claim." \
    org.opencontainers.image.version="0.9.0"
COPY --from=build /out/holdfast /usr/bin/holdfast
COPY migrations /usr/share/holdfast/migrations
COPY config /etc/holdfast

# Over the file: where things are in this image, and that the server is reached from outside the container. Which addresses of
# the host lead to it is up to `docker run -p`.
ENV HOLDFAST_CONFIG=/etc/holdfast/sandbox.json \
    HOLDFAST_DATA_DIRECTORY=/data \
    HOLDFAST_DATA_MIGRATIONS=/usr/share/holdfast/migrations \
    HOLDFAST_MESSAGING_PRESETS=/etc/holdfast/gateways \
    HOLDFAST_SERVER_HOST=0.0.0.0 \
    HOLDFAST_SERVER_PORT=8080
USER holdfast
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["holdfast", "healthcheck"]
ENTRYPOINT ["holdfast"]
CMD ["serve"]
