import { execForm, isIgnored, parseCopy, parseDockerfile, type Instruction, type Stage } from './dockerfile.js'

/** What the rules of the image need: the Dockerfile, the `.dockerignore`, and whether a path is in the checkout. */
export type ImageFiles = { readonly dockerfile: string; readonly ignored: string; readonly exists: (path: string) => boolean }

/** What is wrong with the image: one sentence for each rule that does not hold. */
export const imageFaults = ({ dockerfile, ignored, exists }: ImageFiles): ReadonlyArray<string> => {
  const stages = parseDockerfile(dockerfile)
  const last = stages.at(-1)
  if (last === undefined) return ['There is no stage.']
  return [
    ...processFaults(last), ...stages.flatMap((stage, index) => copyFaults(stage, stages.slice(0, index), ignored, exists)),
    ...dependencyFaults(last, stages), ...networkFaults(dockerfile), ...sourceFaults(last, stages),
  ]
}

const lastOf = ({ instructions }: Stage, name: string): string | undefined => instructions.findLast((one) => one.name === name)?.rest

const processFaults = (stage: Stage): ReadonlyArray<string> => {
  const user = lastOf(stage, 'USER')
  const command = execForm(lastOf(stage, 'CMD') ?? '')
  const health = execForm(lastOf(stage, 'HEALTHCHECK') ?? '')
  return [
    ...(user === undefined || /^(root|0)(:|$)/.test(user) ? ['The image runs as root.'] : []),
    ...(command === undefined ? ['CMD is run by a shell, which does not pass SIGTERM on.'] : []),
    ...(command !== undefined && command[0] !== 'node' ? ['CMD does not start node itself.'] : []),
    ...(lastOf(stage, 'ENTRYPOINT') === '[]' ? [] : ["The base image's entry point stands between the container and node."]),
    ...(health === undefined ? ['There is no HEALTHCHECK in exec form.'] : []),
  ]
}

const copyFaults = (
  { instructions }: Stage, earlier: ReadonlyArray<Stage>, ignored: string, exists: (path: string) => boolean,
): ReadonlyArray<string> =>
  instructions.filter(({ name }) => name === 'COPY' || name === 'ADD').flatMap(({ name, rest }: Instruction) => {
    const { stage, sources } = parseCopy(rest)
    if (name === 'ADD') return [`ADD ${rest} may download.`]
    if (stage !== undefined) return earlier.some((one) => one.name === stage) ? [] : [`There is no earlier stage ${stage}.`]
    return [
      ...sources.filter((source) => !exists(source)).map((source) => `${source} is not in the checkout.`),
      ...sources.filter((source) => isIgnored(ignored, source)).map((source) => `.dockerignore leaves ${source} out.`),
    ]
  })

const dependencyFaults = ({ instructions }: Stage, stages: ReadonlyArray<Stage>): ReadonlyArray<string> => {
  const copies = instructions.filter(({ name }) => name === 'COPY').map(({ rest }) => parseCopy(rest))
  const packages = copies.find(({ sources }) => sources.some((source) => source.endsWith('node_modules')))
  const from = stages.find(({ name }) => name === packages?.stage)
  const omits = from?.instructions.some(({ name, rest }) => name === 'RUN' && rest.includes('npm ci --omit=dev')) === true
  return [
    ...(omits ? [] : ['The packages of the image are not those of production only.']),
    ...(copies.every(({ stage }) => stage !== undefined) ? [] : ['The last stage copies from the build context.']),
  ]
}

/** What the image is made of is known: an exact base, and a bill of the packages. */
const sourceFaults = (last: Stage, stages: ReadonlyArray<Stage>): ReadonlyArray<string> => {
  const bases = new Set(stages.map(({ from }) => from))
  const lists = stages.some(({ instructions }) => instructions.some(({ name, rest }) => name === 'RUN' && rest.startsWith('node sbom.mjs')))
  const keeps = last.instructions.some(({ name, rest }) => name === 'COPY' && rest.includes('sbom.cdx.json'))
  return [
    ...[...bases].filter((base) => !/(:\d+\.\d+\.\d+[-\w]*|@sha256:[0-9a-f]{64})$/.test(base)).map((base) => `The base image ${base} has neither an exact version nor a digest.`),
    ...(lists && keeps ? [] : ['The image has no bill of its materials.']),
  ]
}

/** The base image knows its own mirrors and registries. */
const networkFaults = (dockerfile: string): ReadonlyArray<string> =>
  Array.from(dockerfile.matchAll(/https?:\/\/(?!127\.0\.0\.1)[^\s"'`]+/g), ([address]) => `The Dockerfile names ${address}.`)
