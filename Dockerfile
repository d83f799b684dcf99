# syntax=docker/dockerfile:1
# The static binary of a release on an image without a shell, as a user without rights.
#
#   cargo xtask package --target x86_64-unknown-linux-musl
#   docker build --build-arg VERSION=0.1.0 --file Dockerfile --tag codecompass target/packages
#   docker run --rm -i --mount type=bind,src="$PWD",dst=/workspace,readonly codecompass
#
# Without arguments it serves MCP on stdin and stdout. The index is in /home/nonroot: mount a volume
# there to keep it.

FROM scratch AS amd64
ARG VERSION
ADD codecompass-${VERSION}-x86_64-unknown-linux-musl.tar.gz /

FROM scratch AS arm64
ARG VERSION
ADD codecompass-${VERSION}-aarch64-unknown-linux-musl.tar.gz /

FROM ${TARGETARCH} AS archive

FROM gcr.io/distroless/static-debian12:nonroot
LABEL org.opencontainers.image.source="https://github.com/codecompass/codecompass" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      io.modelcontextprotocol.server.name="io.github.codecompass/codecompass"
COPY --from=archive /codecompass-*/codecompass /usr/bin/
COPY --from=archive /codecompass-*/*LICENSE* /usr/share/doc/codecompass/
ENV CODECOMPASS_HOME=/home/nonroot/codecompass
USER 65532:65532
WORKDIR /workspace
ENTRYPOINT ["codecompass"]
CMD ["serve-mcp", "--workspace", "/workspace"]
