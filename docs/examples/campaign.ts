import type { Client } from 'postern/client'

/** Who gets the template, and the texts of its variables. */
export type Recipient = { readonly to: string; readonly variables: ReadonlyArray<string> }

/** The hours of each recipient in which messages may be sent. */
export type Hours = NonNullable<Parameters<Client['sendTemplate']>[0]['deliver_between']>

/** A template for many recipients. `name` stays the same in every run, and is no name of an earlier campaign. */
export type Campaign = {
  readonly name: string; readonly template: string; readonly language: string; readonly until: Date; readonly hours: Hours
}

/** The result for a recipient: the message that this run or an earlier one sent or queued, or the code of the refusal. */
export type Outcome = { readonly to: string } & ({ readonly message: string } | { readonly refused: string })

/** Codes that would refuse all further recipients, too. */
const STOPS: ReadonlySet<string> = new Set(['insufficient_balance', 'spending_limit_reached', 'template_not_approved', 'unauthenticated', 'forbidden'])

/**
 * Sends a template to many recipients, to each at most once, no matter how often the program is started.
 *
 * A recipient above the limits of the sender waits in Postern until `until`, so the program has no timer and no worker.
 */
export async function* runCampaign(
  postern: Client, { name, template, language, until, hours }: Campaign, recipients: Iterable<Recipient>,
): AsyncGenerator<Outcome> {
  const before = await earlier(postern, name)
  for (const { to, variables } of recipients) {
    const known = before.get(to)
    if (known !== undefined) {
      yield { to, message: known }
      continue
    }
    const parameters = variables.map((text) => ({ type: 'text', text }))
    const sent = await postern.sendTemplate({
      to, template_name: template, language, components: [{ type: 'body', parameters }],
      metadata: { campaign: name, recipient: to },
      queue: { until: until.toISOString() }, deliver_between: hours,
    }, { idempotencyKey: `${name} ${to}` })
    if (sent.messageId !== undefined && (sent.ok || sent.code === 'outcome_unknown')) yield { to, message: sent.messageId }
    else if (!sent.ok) yield { to, refused: sent.code }
    if (!sent.ok && STOPS.has(sent.code)) return
  }
}

/**
 * The messages of earlier runs by their recipient. An idempotency key is kept for a day; the metadata is kept as long as the message.
 * A refused message was never sent, so its recipient gets another one.
 */
const earlier = async (postern: Client, campaign: string): Promise<ReadonlyMap<string, string>> => {
  const messages = new Map<string, string>()
  for await (const message of postern.messages.list({ metadata: { campaign } })) {
    if (!message.ok) throw new Error(message.message)
    const { id, state, metadata } = message.value
    if (state !== 'refused' && metadata?.['recipient'] !== undefined) messages.set(metadata['recipient'], id)
  }
  return messages
}

/** How many messages of a campaign are in each state. */
export const resultsOf = async (postern: Client, campaign: string): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for await (const message of postern.messages.list({ metadata: { campaign } })) {
    if (!message.ok) throw new Error(message.message)
    counts[message.value.state] = (counts[message.value.state] ?? 0) + 1
  }
  return counts
}
