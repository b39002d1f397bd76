import { startSimulator, type Simulator, type SimulatorOptions } from './simulator.js'

/** The default port of `postern simulator`. */
export const DEFAULT_PORT = 4010

/** Starts a simulator and prints its address in one line; it runs until closed. Rejects if the port is taken. */
export const runSimulator = async (
  options: SimulatorOptions & { readonly print?: (line: string) => void } = {},
): Promise<Simulator> => {
  const { print = (line: string) => void process.stdout.write(`${line}\n`), ...rest } = options
  const simulator = await startSimulator({ port: DEFAULT_PORT, ...rest })
  print(`Simulator of the Cloud API at ${simulator.url} (the customer's phone: ${simulator.url}/_simulator)`)
  return simulator
}
