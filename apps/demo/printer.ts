import { openDatabase } from '../../adapters/knex/engine/database.js'

/**
 * Makes every window of the gateway older by `ms` milliseconds, as if that time had passed since the customers wrote.
 *
 * No port can do that, because a gateway never forgets that a customer wrote. So this changes the demonstration's own database directly, without the gateway.
 */
export const skipWindows = async (file: string, ms: number): Promise<void> => {
  const { knex, close } = openDatabase(`sqlite:${file}`)
  try {
    await knex.raw(
      'UPDATE windows SET last_inbound = last_inbound - :ms, user_inbound = user_inbound - :ms, number_inbound = number_inbound - :ms',
      { ms },
    )
  } finally {
    await close()
  }
}

/**
 * Replaces the id of each movement of money by one with the movement's own time, because statements are sorted by their ids.
 *
 * A storage creates ids from the clock of the machine, but the day of traffic has a simulated clock. The first 12 hexadecimal digits of an id are its time in milliseconds.
 */
export const sortMovements = async (file: string): Promise<void> => {
  const { knex, close } = openDatabase(`sqlite:${file}`)
  try {
    await knex.raw("UPDATE wallet_entries SET id = printf('%012x', created_at) || substr(id, 13)")
  } finally {
    await close()
  }
}

/** Prints the demonstration; headings and commands are styled if colours are on. */
export type Printer = {
  readonly heading: (text: string) => void
  readonly line: (text: string) => void
  /** A line that can be pasted into a shell. */
  readonly command: (line: string) => void
  readonly reply: (status: number, body: unknown) => void
}

export const makePrinter = (write: (text: string) => void, colours: boolean): Printer => {
  const styled = (code: number, text: string): string => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    heading: (text) => write(`\n${styled(1, text)}\n`),
    line: (text) => write(`${text}\n`),
    command: (line) => write(`${styled(36, `$ ${line}`)}\n`),
    reply: (status, body) => write(`${styled(status < 300 ? 32 : 33, String(status))} ${JSON.stringify(body)}\n`),
  }
}
