import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { listenForShutdown, requested, SHUTDOWN_MARGIN_MS } from '../server/process.js'
import { port } from './arguments.js'
import { loadConfig } from './cli-config.js'
import { fail } from './output.js'
import { ownProcess, type Shell } from './shell.js'

type SimulatorFlags = {
  readonly port: number
  readonly host: string
  readonly webhook?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
}

/** `postern simulator`: runs the simulator of the platform until SIGINT or SIGTERM, or, if npm started it, until npm ends. */
export const addSimulatorCommand = (program: Command, shell: Shell): void => {
  program.command('simulator')
    .description('run the platform simulator')
    .option('--port <n>', 'the port it listens on; 0 for a free one', port, 4_010)
    .option('--host <address>', 'the address it listens on; anyone who can reach it can control it', '127.0.0.1')
    .option('--webhook <url>', 'deliver notifications to this URL, such as http://127.0.0.1:3000/webhooks/platform; needs the variables PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN of the gateway')
    .option('--tls-cert <file>', 'serve TLS with this certificate in PEM')
    .option('--tls-key <file>', 'the key of the certificate in PEM')
    .action((flags: SimulatorFlags) => simulate(shell, flags))
}

const simulate = async (shell: Shell, flags: SimulatorFlags): Promise<void> => {
  const tls = await tlsFiles(flags)
  const reportTo = flags.webhook === undefined ? undefined : await webhook(shell, flags.webhook)
  const { exit } = ownProcess(shell)
  const shutdown = listenForShutdown({ deadlineMs: SHUTDOWN_MARGIN_MS })
  const { runSimulator } = await import('../simulator/simulator.js')
  const simulator = await runSimulator({
    port: flags.port, host: flags.host, ...(tls && { tls }), ...(reportTo && { webhook: reportTo }),
    print: (line) => void shell.stdout.write(`${line}\n`),
  }).catch((error: unknown) => failStarting(error, flags))
  await requested(shutdown)
  await simulator.close()
  exit(0)
}

const failStarting = async (cause: unknown, address: SimulatorFlags): Promise<never> => {
  const error: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause))
  if (error.syscall !== undefined) return fail((await import('../server/http-server.js')).listenFault(error, address, '--host'))
  if (error.code?.startsWith('ERR_OSSL_') === true) return fail('The files of --tls-cert and --tls-key are not a certificate and its key in PEM.')
  throw error
}

const webhook = async (
  shell: Shell, url: string,
): Promise<{ readonly url: string; readonly appSecret: string; readonly verifyToken: string }> => {
  const { appSecret, verifyToken } = (await loadConfig(shell)).platform
  return appSecret === undefined || verifyToken === undefined
    ? fail('--webhook needs the variables PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN; set them to the same values as for the gateway.')
    : { url, appSecret, verifyToken }
}

const tlsFiles = async ({ tlsCert, tlsKey }: SimulatorFlags): Promise<{ readonly cert: string; readonly key: string } | undefined> => {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) return fail('Give --tls-cert and --tls-key together.')
  const [cert, key] = await Promise.all([tlsCert, tlsKey].map((file) =>
    readFile(file, 'utf8').catch(() => fail(`The file ${file} cannot be read; check the path and its permissions.`))))
  return { cert: cert ?? '', key: key ?? '' }
}
