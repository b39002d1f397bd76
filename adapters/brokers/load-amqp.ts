import type * as Amqp from 'amqplib'

/** Loads the optional package `amqplib`; the error names it where it is missing. */
export const loadAmqp = async (): Promise<typeof Amqp> => {
  try {
    return await import('amqplib')
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes("'amqplib'")) throw cause
    throw new Error('the package amqplib is needed for such a broker and not installed; `npm install amqplib` adds it', { cause })
  }
}
