import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import { type Consent, CONSENT_TOPICS } from '../../core/consent/consent.js'
import { type CustomerWithConsent, customerWithConsentView } from '../../core/consent/use-cases.js'
import type { CustomerId } from '../../core/customers/customer.js'
import { closesAt, isOpen, windowView } from '../../core/customers/window.js'
import type { Instant } from '../../core/kernel/time.js'
import type { SenderId } from '../../core/senders/sender.js'
import { commandLine, CUSTOMER, customer, jsonOption, moment, senderOption, WORKSPACE } from './arguments.js'
import { withWorkspace } from './cli-config.js'
import { fail, iso, type JsonFlag, print, unwrap } from './output.js'
import type { Shell } from './shell.js'

type RecordOptions = JsonFlag & { readonly at?: Instant; readonly sender?: SenderId }

/** `postern window …`: the customer service windows. */
export const addWindowCommands = (program: Command, shell: Shell): void => {
  const window = program.command('window').description('the customer service windows')

  window.command('record')
    .description('record that a customer wrote, if the platform did not report it')
    .argument('<workspace>', WORKSPACE)
    .argument('<customer>', CUSTOMER, customer)
    .option('--at <iso>', 'when the customer wrote (default: now)', moment)
    .addOption(senderOption())
    .addOption(jsonOption())
    .action((workspace: string, to: CustomerId, options: RecordOptions) => record(shell, workspace, to, options))
}

const record = (shell: Shell, idOrName: string, to: CustomerId, { at, sender, ...options }: RecordOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern, storage }, { id: workspace }) => {
    const lastInbound = await unwrap(
      postern.customers.recordInbound({
        by: commandLine(), workspace, customer: to, ...(sender !== undefined && { sender }), ...(at !== undefined && { at }),
      }),
    )
    const now = storage.windowClock.now()
    print(shell, options, windowView(now, lastInbound), () => [
      O.isSome(lastInbound) ? `The window ${windowWords(now, lastInbound)}.` : 'The customer has never written.',
    ])
  })

/** The window of a customer who has written, in words: `is open until …` or `closed at …`. */
export const windowWords = (now: Instant, lastInbound: O.Some<Instant>): string =>
  `${isOpen(now, lastInbound) ? 'is open until' : 'closed at'} ${iso(closesAt(lastInbound.value))}`

/** `postern customer …`: what is stored about customers. */
export const addCustomerCommands = (program: Command, shell: Shell): void => {
  const command = program.command('customer').description('what is stored about customers')

  command.command('show')
    .description('show the ids, the names, the consent and the window of a customer')
    .argument('<workspace>', WORKSPACE)
    .argument('<customer>', CUSTOMER, customer)
    .addOption(jsonOption())
    .action((workspace: string, id: CustomerId, options: JsonFlag) => show(shell, workspace, id, options))

  command.command('erase')
    .description('erase a customer under all known ids: messages keep their price and lose the number; everything else is deleted')
    .argument('<workspace>', WORKSPACE)
    .argument('<customer>', CUSTOMER, customer)
    .addOption(jsonOption())
    .action((workspace: string, id: CustomerId, options: JsonFlag) => erase(shell, workspace, id, options))
}

const erase = (shell: Shell, idOrName: string, id: CustomerId, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern, config: { secret } }, { id: workspace }) => {
    if (secret === undefined) return fail('POSTERN_SECRET is not set; it is needed to create the pseudonym that replaces the number. Use the same secret as the gateway.')
    const erased = await unwrap(postern.customers.eraseCustomer({ by: commandLine(), workspace, customer: id }))
    print(shell, options, erased, () => [
      `Erased the recipient of ${erased.messages} messages. Deleted ${erased.events} events, ${erased.customers} records of ids and ${erased.windows} windows.`,
    ])
  })

const show = (shell: Shell, idOrName: string, id: CustomerId, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern, storage }, { id: workspace }) => {
    const found = await unwrap(postern.customers.showCustomer(workspace, id))
    if (O.isNone(found)) return fail('This customer is not known: the platform has not reported this id, and no message was recorded for it.')
    const now = storage.windowClock.now()
    print(shell, options, customerWithConsentView(now, found.value), () => customerLines(now, found.value))
  })

/** If there are several senders, the window of each of them. */
const customerLines = (
  now: Instant, { phoneNumber, userId, name, username, optedOut, consent, lastInbound, senders }: CustomerWithConsent,
): ReadonlyArray<string> =>
  [
    ['number', phoneNumber ?? '-'], ['user id', userId ?? '-'], ['name', name ?? '-'], ['username', username ?? '-'],
    ...CONSENT_TOPICS.map((topic) => [topic, consentWords(consent[topic], optedOut && topic === 'marketing')]),
    ...(senders.length > 1 ? senders : [{ sender: undefined, lastInbound }]).map((one) => [
      'window', `${one.sender === undefined ? '' : `${one.sender} `}${O.isSome(one.lastInbound) ? windowWords(now, one.lastInbound) : 'never opened'}`,
    ]),
  ].map(([title = '', value = '']) => `${title.padEnd(11)}  ${value}`)

/** Storages that keep no consent know only that the customer stopped marketing messages. */
const consentWords = (consent: Consent | undefined, optedOut: boolean): string => {
  if (consent === undefined) return optedOut ? 'stopped by the customer' : 'not stopped'
  return `${consent.status === 'granted' ? 'allowed' : 'stopped'} since ${iso(consent.since)} (${consent.source})`
}
