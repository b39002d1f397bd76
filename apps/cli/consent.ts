import { type Command, Option } from 'commander'
import { CONSENT_STATUSES, CONSENT_TOPICS, type ConsentStatus, type ConsentTopic } from '../../core/consent/consent.js'
import { customerConsentView } from '../../core/consent/use-cases.js'
import type { CustomerId } from '../../core/customers/customer.js'
import type { Instant } from '../../core/kernel/time.js'
import { commandLine, CUSTOMER, customer, jsonOption, moment, WORKSPACE } from './arguments.js'
import { withWorkspace } from './cli-config.js'
import { fail, type JsonFlag, print, unwrap } from './output.js'
import { addConsentFileCommands } from './consent-files.js'
import type { Shell } from './shell.js'

type SetConsentOptions = JsonFlag & {
  readonly of: ConsentTopic
  readonly status: ConsentStatus
  readonly source: string
  readonly note?: string
  readonly at?: Instant
}

/** `postern consent …`: what customers allow and stop. */
export const addConsentCommands = (program: Command, shell: Shell): void => {
  const consent = program.command('consent').description('what customers allow and stop')
  addConsentFileCommands(consent, shell)

  consent.command('set')
    .description('record what a customer allowed or stopped')
    .argument('<workspace>', WORKSPACE)
    .argument('<customer>', CUSTOMER, customer)
    .addOption(new Option('--of <topic>', 'marketing messages, or all messages').choices([...CONSENT_TOPICS]).makeOptionMandatory())
    .addOption(
      new Option('--status <status>', 'whether the customer allows them or stopped them').choices([...CONSENT_STATUSES])
        .makeOptionMandatory(),
    )
    .requiredOption('--source <text>', 'how it is known, such as `phone call`')
    .option('--note <text>', 'a note for people')
    .option('--at <iso>', 'when the customer said it (default: now)', moment)
    .addOption(jsonOption())
    .action((workspace: string, id: CustomerId, options: SetConsentOptions) => set(shell, workspace, id, options))
}

const set = (
  shell: Shell, idOrName: string, id: CustomerId, { of: topic, status, source, note, at, ...options }: SetConsentOptions,
): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern: { consent } }, { id: workspace }) => {
    const { recordConsent } = consent ?? fail('This storage keeps no consent.')
    const recorded = await unwrap(recordConsent({ by: commandLine(), workspace, customer: id, topic, status, source, note, at }))
    const view = customerConsentView(recorded)
    print(shell, options, view, () => CONSENT_TOPICS.map((one) =>
      `${one.padEnd(9)}  ${view[one].status}${view[one].since === null ? '' : ` since ${view[one].since} (${view[one].source ?? ''})`}`))
  })
