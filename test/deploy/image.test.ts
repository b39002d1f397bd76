import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { execForm, isIgnored, parseDockerfile } from './dockerfile.js'
import { imageFaults } from './image-faults.js'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const DOCKERFILE = read('Dockerfile')
const FILES = { dockerfile: DOCKERFILE, ignored: read('.dockerignore'), exists: (path: string): boolean => existsSync(join(ROOT, path)) }

/** A change of the Dockerfile, and what the rules then say. */
const VIOLATIONS: ReadonlyArray<readonly [from: string | RegExp, to: string, fault: string]> = [
  ['USER node\n', '', 'The image runs as root.'],
  ['USER node\n', 'USER 0:0\n', 'The image runs as root.'],
  [/^CMD .*$/m, 'CMD node dist/apps/cli/main.js serve', 'CMD is run by a shell, which does not pass SIGTERM on.'],
  [/^CMD .*$/m, 'CMD ["npm", "start"]', 'CMD does not start node itself.'],
  ['ENTRYPOINT []\n', '', "The base image's entry point stands between the container and node."],
  [/^HEALTHCHECK .*\n.*$/m, '', 'There is no HEALTHCHECK in exec form.'],
  ['COPY core ./core', 'COPY core/gone ./core', 'core/gone is not in the checkout.'],
  ['COPY core ./core', 'COPY docs/pictures ./docs/pictures', '.dockerignore leaves docs/pictures out.'],
  ['COPY core ./core', 'ADD core ./core', 'ADD core ./core may download.'],
  ['--from=build /build/dist/core', '--from=compile /build/dist/core', 'There is no earlier stage compile.'],
  ['npm ci --omit=dev', 'npm ci', 'The packages of the image are not those of production only.'],
  ['COPY --from=build /build/package.json /build/README.md /build/CHANGELOG.md ./', 'COPY package.json README.md CHANGELOG.md ./', 'The last stage copies from the build context.'],
  ['ARG BASE=node:26.10.0-bookworm-slim', 'ARG BASE=node:26-bookworm-slim', 'The base image node:26-bookworm-slim has neither an exact version nor a digest.'],
  ['RUN node sbom.mjs > sbom.cdx.json\n', '', 'The image has no bill of its materials.'],
  ['npm run compile', 'npm run compile --registry=http://packages.test/', 'The Dockerfile names http://packages.test/.'],
]

describe('The image', () => {
  it('keeps the rules', () => {
    assert.deepEqual(imageFaults(FILES), [])
  })

  for (const [from, to, fault] of VIOLATIONS) {
    it(`has a rule by which ${String(from).trim()} cannot become ${JSON.stringify(to)}`, () => {
      const dockerfile = DOCKERFILE.replace(from, to)
      assert.notEqual(dockerfile, DOCKERFILE)
      assert.deepEqual(imageFaults({ ...FILES, dockerfile }), [fault])
    })
  }

  it('begins from the Node.js that a checkout brings', () => {
    const { optionalDependencies } = JSON.parse(read('deploy/node/release/package.json')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>
    }
    for (const version of Object.values(optionalDependencies)) {
      assert.match(parseDockerfile(DOCKERFILE).at(-1)?.from ?? '', new RegExp(`^node:${version}-`))
    }
  })

  it('starts the program that npm start starts', () => {
    const command = parseDockerfile(DOCKERFILE).at(-1)?.instructions.findLast(({ name }) => name === 'CMD')?.rest ?? ''
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly start: string } }
    assert.equal(execForm(command)?.join(' '), scripts.start)
  })

  it('is built without files that hold data, secrets or packages of this machine', () => {
    for (const path of [
      '.env', '.git/config', 'node_modules/koa/package.json', 'postern.db', 'dist/apps/cli/main.js', 'test/deploy/image.test.ts',
      'deploy/env.example', 'docs/pictures/phone.png',
    ]) {
      assert.isTrue(isIgnored(FILES.ignored, path), path)
    }
  })
})
