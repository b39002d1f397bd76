import type { Command } from 'commander'
import { port } from './arguments.js'
import { refuse } from './refusal.js'
import { configuration } from './setting.js'

type SimulatorFlags = { readonly port: number; readonly webhook?: string }

/** `postern simulator`: runs the stand-in for the platform until it is told to stop. */
export const addSimulatorCommand = (program: Command): void => {
  program.command('simulator')
    .description('run the stand-in for the platform')
    .option('--port <n>', 'where it listens; 0 for a free port', port, 4_010)
    .option('--webhook <url>', 'where it notifies, such as http://127.0.0.1:3000/webhooks/platform; signed with PLATFORM_APP_SECRET')
    .action((flags: SimulatorFlags) => simulate(flags))
}

const simulate = async (flags: SimulatorFlags): Promise<void> => {
  const { runSimulator } = await import('../simulator/run.js')
  const simulator = await runSimulator({ port: flags.port, ...(flags.webhook !== undefined && { webhook: await webhook(flags.webhook) }) })
  const stop = (): void => void simulator.close().then(() => process.exit(0))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

const webhook = async (url: string): Promise<{ readonly url: string; readonly appSecret: string; readonly verifyToken: string }> => {
  const { appSecret, verifyToken } = (await configuration()).platform
  return appSecret === undefined || verifyToken === undefined
    ? refuse('--webhook needs PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN, the same as the gateway has.')
    : { url, appSecret, verifyToken }
}
