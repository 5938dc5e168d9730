# The server in a small image: the program with its libraries, and a user of its own. The root file system may be read-only.
#
#   docker build -t holdfast .
#   docker run -p 127.0.0.1:8080:8080 -v holdfast:/data holdfast                     (sandbox)
#   docker run -p 8080:8080 -v holdfast:/data -v ./live.json:/etc/holdfast/live.json:ro \
#       -e HOLDFAST_CONFIG=/etc/holdfast/live.json holdfast                         (live)

# Tags as exact as they come. Package.swift names exact versions of what is fetched.
FROM swift:6.3.1-bookworm AS build
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends libsqlite3-dev libpq-dev libssl-dev libcurl4-openssl-dev libphonenumber-dev zlib1g-dev libbrotli-dev pkg-config \
        patchelf python3 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Dependencies first: they change less often than the sources.
COPY Package.* ./
RUN swift package resolve
COPY . .
# The commit that `holdfast --version` names, and its time in seconds.
ARG COMMIT= SOURCE_DATE_EPOCH=1767225600
RUN scripts/write-commit \
    && swift build -c release --product holdfast --static-swift-stdlib \
    && deploy/packages/dist.py --binary "$(swift build -c release --static-swift-stdlib --show-bin-path)/holdfast" --output /out tarball \
    && mkdir /out/holdfast && tar -xzf /out/*.tar.gz -C /out/holdfast --strip-components 1

# The tarball has the shared libraries. From Debian come glibc, time zones and authorities.
FROM debian:12.11-slim
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends tzdata ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin holdfast \
    && install -d -o holdfast -g holdfast -m 0700 /data
LABEL org.opencontainers.image.title="holdfast" \
    org.opencontainers.image.description="Proves that a person holds the phone number they claim." \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="0.9.0"
COPY --from=build /out/holdfast /usr/local

# Where data are in this image, and that the server is reached from outside the container. Which addresses of the host lead to it
# is up to `docker run -p`.
ENV HOLDFAST_DATA_DIRECTORY=/data \
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
