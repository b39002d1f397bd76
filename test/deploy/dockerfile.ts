/** One instruction of a Dockerfile, such as `RUN npm ci`, with continued lines joined. */
export type Instruction = { readonly name: string; readonly rest: string }

/** A stage of a Dockerfile: what it begins from, its name if it has one, and its instructions after `FROM`. */
export type Stage = { readonly from: string; readonly name: string | undefined; readonly instructions: ReadonlyArray<Instruction> }

/** What `COPY` takes: from another stage, or else from the build context. */
export type Copy = { readonly stage: string | undefined; readonly sources: ReadonlyArray<string> }

/** Reads a Dockerfile; an `ARG` before the first stage is put in where `FROM` names it. */
export const parseDockerfile = (text: string): ReadonlyArray<Stage> => {
  const args = new Map<string, string>()
  const stages: { from: string; name: string | undefined; instructions: Instruction[] }[] = []
  for (const { name, rest } of instructionsOf(text)) {
    const stage = stages.at(-1)
    if (name === 'FROM') {
      const [from = '', , alias] = rest.split(/\s+/)
      stages.push({ from: from.replaceAll(/\$\{(\w+)\}/g, (_, arg: string) => args.get(arg) ?? ''), name: alias, instructions: [] })
    } else if (stage !== undefined) {
      stage.instructions.push({ name, rest })
    } else {
      const [arg = '', value = ''] = rest.split('=')
      args.set(arg, value)
    }
  }
  return stages
}

const instructionsOf = (text: string): ReadonlyArray<Instruction> =>
  text.replaceAll(/^\s*#.*\n/gm, '').replaceAll('\\\n', ' ').split('\n')
    .map((line) => /^\s*([A-Z]+)\s+(.*?)\s*$/.exec(line))
    .flatMap((found) => (found === null ? [] : [{ name: found[1] ?? '', rest: found[2] ?? '' }]))

/** Reads the words of a `COPY`. */
export const parseCopy = (rest: string): Copy => {
  const words = rest.split(/\s+/)
  const stage = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  return { stage, sources: paths.slice(0, -1) }
}

/** The words of an exec form, such as `["node", "main.js"]`; `undefined` if a shell would run it. */
export const execForm = (rest: string): ReadonlyArray<string> | undefined => {
  const list = /\[.*\]$/.exec(rest)?.[0]
  if (list === undefined) return undefined
  const words: unknown = JSON.parse(list)
  return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined
}

/** Whether the rules of a `.dockerignore` leave a path out of the build context; the last rule that matches the path or a folder above it counts. */
export const isIgnored = (rules: string, path: string): boolean => {
  const matching = rules.split('\n').map((rule) => rule.trim()).filter((rule) => rule !== '' && !rule.startsWith('#'))
    .filter((rule) => matches(rule.replace(/^!/, ''), path))
  return matching.at(-1)?.startsWith('!') === false
}

const matches = (rule: string, path: string): boolean => {
  const pattern = new RegExp(`^${rule.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
  const parts = path.split('/')
  return parts.some((_, index) => pattern.test(parts.slice(0, index + 1).join('/')))
}
