import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  BalanceOutOfRange, PortFailure, SenderTaken, UnknownApiKey, UnknownWorkspace,
} from '../../core/errors.js'
import { causeOf } from '../server/cause.js'

type Failure = BalanceOutOfRange | PortFailure | SenderTaken | UnknownApiKey | UnknownWorkspace

/** Ends a command with a sentence for people, on standard error, and exit status 1. */
export const refuse = (sentence: string): never => {
  throw new Error(sentence)
}

/** Runs a step of a command; a failure ends the command with its sentence. */
export const done = async <A>(step: TaskEither<Failure, A>): Promise<A> => {
  const result = await step()
  return E.isRight(result) ? result.right : refuse(sentenceOf(result.left))
}

const sentenceOf = (failure: Failure): string => {
  switch (failure._tag) {
    case 'BalanceOutOfRange': return 'The balance would be more than a wallet can hold; nothing was added.'
    case 'PortFailure': return `The database failed: ${causeOf(failure.cause).message}.`
    case 'SenderTaken': return 'Another workspace already sends through that phone number id.'
    case 'UnknownApiKey': return 'There is no API key of that id.'
    case 'UnknownWorkspace': return 'There is no workspace of that id.'
  }
}
