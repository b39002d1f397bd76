import { startSimulator, type Simulator, type SimulatorOptions } from './simulator.js'

/** The port of a simulator that is run by hand. */
export const DEFAULT_PORT = 4010

/** Starts a simulator for people and tells its address in one line; it runs until closed. Rejects where the port is taken. */
export const runSimulator = async (
  options: SimulatorOptions & { readonly print?: (line: string) => void } = {},
): Promise<Simulator> => {
  const { print = (line: string) => void process.stdout.write(`${line}\n`), ...rest } = options
  const simulator = await startSimulator({ port: DEFAULT_PORT, ...rest })
  print(`Simulator of the Cloud API at ${simulator.url} (its page: ${simulator.url}/_simulator)`)
  return simulator
}
