# docs/deployment.md says how this file is used, and how it was tried.
# A tag can be moved, a digest cannot. Where this was written no registry was at hand to ask for the digest, so the tag is exact, and a build that must be repeatable
# names the digest: docker build --build-arg BASE=node:26.10.0-bookworm-slim@sha256:…
ARG BASE=node:26.10.0-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY deploy/node ./deploy/node
RUN npm ci --ignore-scripts
COPY tsconfig.json .tsconfig.build.json ./
COPY core ./core
COPY adapters ./adapters
COPY apps ./apps
COPY test/laws ./test/laws
COPY README.md CHANGELOG.md ./
COPY docs ./docs
RUN npm run compile

FROM ${BASE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc deploy/require-drivers.mjs deploy/sbom.mjs ./
COPY deploy/node ./deploy/node
# No package of production has a script to run: the driver of SQLite brings its binaries.
RUN node require-drivers.mjs && npm ci --omit=dev --ignore-scripts
# The packages of the image, with their versions, licences and digests, in the format CycloneDX.
RUN node sbom.mjs > sbom.cdx.json

FROM ${BASE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/var/lib/postern/postern.db
WORKDIR /srv/postern
RUN mkdir /var/lib/postern && chown node:node /var/lib/postern && ln -s /srv/postern/dist/apps/cli/main.js /usr/local/bin/postern
COPY --from=dependencies /build/node_modules ./node_modules
COPY --from=dependencies /build/sbom.cdx.json ./
COPY --from=build /build/package.json /build/README.md /build/CHANGELOG.md ./
COPY --from=build /build/docs ./docs
COPY --from=build /build/dist/core ./dist/core
COPY --from=build /build/dist/adapters ./dist/adapters
COPY --from=build /build/dist/apps/cli ./dist/apps/cli
COPY --from=build /build/dist/apps/demo ./dist/apps/demo
COPY --from=build /build/dist/apps/server ./dist/apps/server
COPY --from=build /build/dist/apps/simulator ./dist/apps/simulator
USER node
VOLUME /var/lib/postern
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell or npm between, the gateway is the first process of the container and gets SIGTERM itself.
ENTRYPOINT []
CMD ["node", "--max-semi-space-size=64", "dist/apps/cli/main.js", "serve"]
