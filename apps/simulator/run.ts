import { startSimulator, type Simulator, type SimulatorOptions } from './simulator.js'

/** The default port of `postern simulator`. */
export const DEFAULT_PORT = 4010

/** Said where a notification would go nowhere: without it no status and no customer's message reaches a gateway. */
const NO_WEBHOOK = 'It notifies no gateway: start it with --webhook and the address of one, such as http://127.0.0.1:3000/webhooks/platform.'

/** Starts a simulator and prints its address, and a second line if it has no webhook to notify; it runs until closed. Rejects if the port is taken. */
export const runSimulator = async (
  options: SimulatorOptions & { readonly print?: (line: string) => void } = {},
): Promise<Simulator> => {
  const { print = (line: string) => void process.stdout.write(`${line}\n`), ...rest } = options
  const simulator = await startSimulator({ port: DEFAULT_PORT, ...rest })
  print(`Simulator of the Cloud API at ${simulator.url} (the customer's phone: ${simulator.url}/_simulator)`)
  if (rest.webhook === undefined) print(NO_WEBHOOK)
  return simulator
}
