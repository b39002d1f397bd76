import { causeOf } from '../server/cause.js'
import { makeNarrator } from './narrator.js'
import { makeOperator } from './operator.js'
import { setStage, type Stage } from './stage.js'
import { play } from './story.js'

const once = process.argv.includes('--once')
const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined
const narrator = makeNarrator((text) => void process.stdout.write(text), colours)

/** Leaves nothing behind, whatever ends the demonstration. */
const leave = async (stage: Stage, status: number): Promise<never> => {
  await stage.strike()
  process.exit(status)
}

const perform = async (): Promise<void> => {
  const stage = await setStage()
  process.once('SIGINT', () => void leave(stage, 0))
  process.once('SIGTERM', () => void leave(stage, 0))
  const { gatewayUrl, simulatorUrl, storage } = stage
  let good = false
  try {
    narrator.say(`Postern listens at ${gatewayUrl}; a stand-in for the platform at ${simulatorUrl}.`)
    good = await play({ gatewayUrl, simulatorUrl, narrator, operator: makeOperator(storage, narrator) })
    narrator.heading(good ? 'Every reply was the expected one.' : 'Some reply was not the expected one.')
  } catch (error) {
    narrator.heading(`The demonstration broke off: ${causeOf(error).message}`)
    return leave(stage, 1)
  }
  if (once) return leave(stage, good ? 0 : 1)
  stayUp(stage)
}

const stayUp = ({ gatewayUrl, simulatorUrl, env }: Stage): void => {
  const settings = ['DATABASE_URL', 'POSTERN_SECRET', 'PLATFORM_URL'].map((name) => `${name}=${env[name] ?? ''}`)
  narrator.say(`The gateway stays up at ${gatewayUrl}, so every line above can be pasted.`)
  narrator.say(`What arrived is shown at ${simulatorUrl}/_simulator.`)
  narrator.say('The commands work in another shell after this line:')
  narrator.command(`export ${settings.join(' ')} POSTERN_ACCESS_TOKEN=demo-token`)
  narrator.say('Ctrl-C ends it and leaves nothing behind.')
}

await perform()
