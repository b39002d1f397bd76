import { type Actor, SYSTEM } from '../../../core/kernel/actor.js'

/** A use case as the gateway itself does it, for tests to which it does not matter who acts. */
export const bySystem =
  <Command extends { readonly by: Actor }, Result>(use: (command: Command) => Result) =>
  (command: Omit<Command, 'by'>): Result => {
    const whole: unknown = { ...command, by: SYSTEM }
    return use(whole as Command)
  }
