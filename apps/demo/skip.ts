import { openDatabase } from '../../adapters/knex/engine/database.js'

/**
 * Makes every window of the gateway older by so many milliseconds, as if that time had passed since the customers wrote.
 *
 * No port can do that, because a gateway never forgets that a customer wrote. So it is done to the demonstration's own database, beside the gateway.
 */
export const skipWindows = async (file: string, ms: number): Promise<void> => {
  const { knex, close } = openDatabase(`sqlite:${file}`)
  try {
    await knex.raw('UPDATE windows SET last_inbound = last_inbound - :ms, user_inbound = user_inbound - :ms, number_inbound = number_inbound - :ms', { ms })
  } finally {
    await close()
  }
}
