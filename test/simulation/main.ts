import { parseArgs } from 'node:util'
import { DEFECTS } from './defects.js'
import { shrink, tableOf } from './history.js'
import { type History, simulate, type SimulationOptions } from './simulate.js'

const USAGE = `npm run simulate -- [options]

  --seed N          plays the history of one seed, and prints it as a table
  --seeds N         plays the histories of so many seeds (default 1000)
  --from N          the first of them (default 0)
  --minutes N       goes on for so long instead
  --acts "act 3,…"  of each history only these acts, as a shrunk one names them
  --defect TEXT     plants the defect whose name contains this text

A history that breaks a promise is shrunk and printed, and the command ends with status 1.
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string' }, seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '0' },
    minutes: { type: 'string' }, acts: { type: 'string' }, defect: { type: 'string' }, help: { type: 'boolean', default: false },
  },
})

const whole = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} is a whole number`)
  return Number(text)
}

const named = values.defect
const defect = named === undefined ? undefined : DEFECTS.find(({ name }) => name.includes(named))
if (named !== undefined && defect === undefined) throw new Error(`no defect is named so; there are:\n  ${DEFECTS.map(({ name }) => name).join('\n  ')}`)
const options: Omit<SimulationOptions, 'seed'> = { defect, ...(values.acts !== undefined && { acts: values.acts.split(',') }) }

/** Shrinks a history that broke a promise, and prints it. */
const report = async (history: History): Promise<void> => {
  const { plan, steps, violations } = values.acts === undefined
    ? await shrink({ ...options, seed: history.seed }, history)
    : await simulate({ ...options, seed: history.seed, keepsSteps: true })
  console.log(`\nseed ${history.seed}, ${plan.length} of its acts:\n\n${tableOf(steps)}\n`)
  for (const { promise, seen } of violations) console.log(`broken: ${promise}\n  ${seen}`)
  console.log(`\nagain: npm run simulate -- --seed ${history.seed} --acts "${plan.map(({ name }) => name).join(',')}"`)
  process.exitCode = 1
}

const playOne = async (seed: number): Promise<void> => {
  const history = await simulate({ ...options, seed, keepsSteps: true })
  if (history.violations.length > 0) return report(history)
  console.log(`${tableOf(history.steps)}\n\nseed ${seed}: ${history.plan.length} acts, ${history.messages} messages, no promise was broken`)
}

const playMany = async (): Promise<void> => {
  const [from, begunAt] = [whole('from', values.from), performance.now()]
  const until = values.minutes === undefined ? from + whole('seeds', values.seeds) : Infinity
  const endsAt = values.minutes === undefined ? Infinity : begunAt + whole('minutes', values.minutes) * 60_000
  let [histories, acts, messages, broken] = [0, 0, 0, 0]
  const reached = new Map<string, number>()
  for (let seed = from; seed < until && performance.now() < endsAt && broken < 5; seed += 1) {
    const history = await simulate({ ...options, seed })
    histories += 1
    acts += history.plan.length
    messages += history.messages
    for (const [situation, times] of history.reached) reached.set(situation, (reached.get(situation) ?? 0) + times)
    if (history.violations.length > 0) {
      broken += 1
      await report(history)
    }
  }
  for (const [situation, times] of [...reached].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`${String(times).padStart(9)}  ${situation}`)
  const seconds = (performance.now() - begunAt) / 1_000
  console.log(`\n${histories} histories, ${acts} acts, ${messages} messages, ${broken} broken, ${seconds.toFixed(1)} s`)
}

if (values.help) console.log(USAGE)
else await (values.seed === undefined ? playMany() : playOne(whole('seed', values.seed)))
