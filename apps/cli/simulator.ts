import type { Command } from 'commander'
import { port } from './arguments.js'
import { fail } from './error-messages.js'
import { loadConfig } from './cli-config.js'

type SimulatorFlags = { readonly port: number; readonly host: string; readonly webhook?: string }

/** `postern simulator`: runs the stand-in for the platform until SIGINT or SIGTERM. */
export const addSimulatorCommand = (program: Command): void => {
  program.command('simulator')
    .description('run the stand-in for the platform; needs the package undici')
    .option('--port <n>', 'the port it listens on; 0 for a free one', port, 4_010)
    .option('--host <address>', 'the address it listens at; anyone who reaches it can control it', '127.0.0.1')
    .option('--webhook <url>', 'deliver notifications there, such as http://127.0.0.1:3000/webhooks/platform; needs the variables PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN of the gateway')
    .action((flags: SimulatorFlags) => simulate(flags))
}

const simulate = async (flags: SimulatorFlags): Promise<void> => {
  const { runSimulator } = await import('../simulator/run.js')
  const simulator = await runSimulator({ port: flags.port, host: flags.host, ...(flags.webhook !== undefined && { webhook: await webhook(flags.webhook) }) })
  const stop = (): void => void simulator.close().then(() => process.exit(0))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

const webhook = async (url: string): Promise<{ readonly url: string; readonly appSecret: string; readonly verifyToken: string }> => {
  const { appSecret, verifyToken } = (await loadConfig()).platform
  return appSecret === undefined || verifyToken === undefined
    ? fail('--webhook needs the variables PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN; set them to the same values as for the gateway.')
    : { url, appSecret, verifyToken }
}
