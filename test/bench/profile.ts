import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { columns } from './report.js'

/** A CPU profile of Node.js: the nodes of the call tree, the sampled nodes, and the times between samples. */
type CpuProfile = {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: Frame; readonly children?: ReadonlyArray<number> }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

type Frame = { readonly functionName: string; readonly url: string; readonly lineNumber: number }

const MAX_MODULES = 25
const MAX_FUNCTIONS = 30

/**
 * Lists for each profile below a folder the modules and functions with the highest self time; idle time does not count.
 *
 * Threads that run no code of Postern are omitted.
 */
export const formatProfiles = async (folder: string): Promise<string> => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.cpuprofile')).sort()
  const profiles = await Promise.all(
    names.map(async (name) => ({ name, profile: JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile })),
  )
  return profiles
    .filter(({ profile }) => profile.nodes.some(({ callFrame }) => ownFile(callFrame.url) !== undefined))
    .map(({ name, profile }) => formatProfile(name, profile))
    .join('\n')
}

const formatProfile = (name: string, { nodes, samples, timeDeltas }: CpuProfile): string => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const modules = new Map<string, number>()
  const owners = new Map<string, number>()
  const functions = new Map<string, number>()
  let busy = 0
  samples.forEach((id, place) => {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === '(idle)') return
    const micros = timeDeltas[place] ?? 0
    const module = moduleOf(frame.url, frame.functionName)
    busy += micros
    add(modules, module, micros)
    add(owners, ownerOf(id), micros)
    add(functions, `${frame.functionName || '(anonymous)'}  ${placeOf(frame)}`, micros)
  })
  return [
    '', `${name}: ${(busy / 1e6).toFixed(1)} s busy`, '',
    ...table('module (self time)', modules, busy, MAX_MODULES), '',
    ...table('nearest file of Postern on the stack', owners, busy, MAX_MODULES), '',
    ...table('function (self time)', functions, busy, MAX_FUNCTIONS),
  ].join('\n')

  /** The nearest file of Postern up the stack; after an `await` the stack is empty. */
  function ownerOf(id: number): string {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { url = '' } = frames.get(at) ?? {}
      const own = ownFile(url)
      if (own !== undefined) return own
    }
    const frame = frames.get(id)
    return frame === undefined ? 'none' : `none: ${moduleOf(frame.url, frame.functionName)}`
  }
}

const add = (sums: Map<string, number>, key: string, micros: number): void => void sums.set(key, (sums.get(key) ?? 0) + micros)

const table = (title: string, sums: ReadonlyMap<string, number>, busy: number, most: number): ReadonlyArray<string> =>
  columns([
    ['share', title],
    ...[...sums].sort(([, a], [, b]) => b - a).slice(0, most).map(([key, micros]) => [((micros / busy) * 100).toFixed(1), key]),
  ])

const ownFile = (url: string): string | undefined => (url.includes('/node_modules/') ? undefined : /\/dist\/(.+)$/.exec(url)?.[1])

const placeOf = ({ url, lineNumber }: Frame): string => `${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`

/** The package of a frame, a folder of Postern, Node.js, or the engine's own work. */
const moduleOf = (url: string, functionName: string): string => {
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (packaged !== undefined) return packaged
  const own = ownFile(url)
  if (own !== undefined) return own.split('/').slice(0, own.startsWith('core/') ? 1 : 2).join('/')
  if (url.startsWith('node:')) return 'Node.js'
  if (url !== '') return url
  return functionName.startsWith('(') ? functionName : 'native'
}
