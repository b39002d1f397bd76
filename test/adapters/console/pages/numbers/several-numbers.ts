import type { NumberFacts } from '../../../../../core/senders/number-health.js'
import { type Sender, type SenderId, senderIdOf } from '../../../../../core/senders/sender.js'
import { done } from '../../../../support/right-of.js'
import type { OpenConsole } from '../../browser.js'

/** Adds a number to a workspace, as the platform reports it. */
export const addNumber = async (
  { storage, clock, workspace }: OpenConsole, id: string, facts?: NumberFacts, more: Partial<Sender> = {},
): Promise<SenderId> => {
  const sender = senderIdOf(id)
  const account = { phoneNumberId: sender, accessToken: `token of ${id}`, businessAccountId: undefined }
  await done(storage.senders.assign(workspace, { ...account, ...more }))
  if (facts !== undefined) await done(storage.numberHealth.note({ workspace, sender }, { at: clock.at, ...facts }))
  return sender
}

/** Two numbers with an account each: the default one, and another. */
export const addTwo = async (console: OpenConsole): Promise<readonly [SenderId, SenderId]> => [
  await addNumber(
    console, '106001', { verifiedName: 'Meridian Clinics', displayNumber: '+49 30 23125142', quality: 'green', messagesPerSecond: 80 },
    { businessAccountId: '2001' },
  ),
  await addNumber(console, '106002', { verifiedName: 'Meridian UK', displayNumber: '+44 20 7946 0142' }, { businessAccountId: '2002' }),
]
