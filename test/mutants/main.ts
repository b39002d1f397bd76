// `npm run mutants`: plants defects in the core by rule, and tells which of them the unit tests, the laws and the histories find.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseMutants } from './mutations.js'
import { allMutants, foundBy, type Outcome, tryMutant } from './run-mutants.js'
import { CONCEPTS, openTree, ROOT } from './tree.js'

const USAGE = `npm run mutants -- [options]

  --count N       tries so many (default 200), of every concept and rule as many
  --seed N        chooses others (default 0)
  --skip N        leaves out the first N of those chosen, such as those of an earlier run (default 0)
  --only TEXT     tries only those whose place, such as core/money/wallet.ts:93, contains this text
  --histories N   plays so many histories with each (default 300)
  --at-once N     tries so many at a time (default 2)

Prints each mutant that was not found, and ends with status 1 if there is one.
`

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' }, seed: { type: 'string', default: '0' }, skip: { type: 'string', default: '0' },
    only: { type: 'string', default: '' }, histories: { type: 'string', default: '300' }, 'at-once': { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})

const whole = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} is a whole number`)
  return Number(text)
}

const placeOf = ({ mutant }: Pick<Outcome, 'mutant'>): string => `${mutant.file}:${mutant.line}`

const print = (outcome: Outcome): void => {
  const { mutant, end, seconds } = outcome
  const why = outcome.end === 'killed' ? `  by ${outcome.by}`
    : outcome.end === 'equal' ? `  ${outcome.because}`
    : `  nothing found it, ${mutant.rule}`
  console.log(`${end.padEnd(8)}  ${placeOf(outcome)}  ${seconds.toFixed(1)} s${why}\n  - ${mutant.was}\n  + ${mutant.becomes}`)
}

const countOf = (outcomes: ReadonlyArray<Outcome>, end: Outcome['end']): number => outcomes.filter((outcome) => outcome.end === end).length

/** How many were found by which kind of check, such as `test 70, law 2, history 1`. */
const kindsOf = (outcomes: ReadonlyArray<Outcome>): string => {
  const kinds = new Map<string, number>()
  for (const outcome of outcomes) {
    if (outcome.end !== 'killed') continue
    const kind = /^(?:the )?(\w+)/.exec(outcome.by)?.[1] ?? 'other'
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ')
}

const run = async (): Promise<void> => {
  const all = (await allMutants()).filter((mutant) => placeOf({ mutant }).includes(values.only))
  const left = chooseMutants(all, whole('seed', values.seed), whole('count', values.count)).slice(whole('skip', values.skip))
  const histories = whole('histories', values.histories)
  const tree = await openTree()
  try {
    const [begunAt, file] = [performance.now(), 'core/money/wallet.ts']
    const unharmed = await foundBy(tree, { file, text: await readFile(join(ROOT, file), 'utf8') }, { histories, deadlineMs: 600_000 })
    if (unharmed !== '') throw new Error(`the checks fail without a mutant: ${unharmed}`)
    const deadlineMs = Math.round(30_000 + 4 * (performance.now() - begunAt))
    console.log(`${left.length} of ${all.length} mutants; all checks of one take ${((performance.now() - begunAt) / 1_000).toFixed(1)} s\n`)
    const outcomes: Outcome[] = []
    const work = async (): Promise<void> => {
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
        const outcome = await tryMutant(tree, mutant, { histories, deadlineMs })
        outcomes.push(outcome)
        print(outcome)
      }
    }
    await Promise.all(Array.from({ length: whole('at-once', values['at-once']) }, work))
    console.log('')
    for (const concept of [...CONCEPTS, '']) {
      const some = outcomes.filter(({ mutant }) => mutant.file.startsWith(concept))
      console.log(`${(concept || 'all').padEnd(16)}  ${some.length} mutants: ${countOf(some, 'killed')} killed (${kindsOf(some)}), ${countOf(some, 'equal')} equal, ${countOf(some, 'survived')} survived`)
    }
    if (countOf(outcomes, 'survived') > 0) process.exitCode = 1
  } finally {
    await tree.remove()
  }
}

if (values.help) console.log(USAGE)
else await run()
