import type { Printer } from './printer.js'
import type { ReceivedEvent } from './receiver.js'
import { curl, sendRequest } from './request.js'

/** The gateway, and a key that may send and answer. */
export type AnswerDeps = { readonly gatewayUrl: string; readonly key: string; readonly printer: Printer }

/** Answers a customer who wrote: marks the message as read, and sends a text. */
export const answerCustomer = async ({ gatewayUrl, key, printer }: AnswerDeps, { data }: ReceivedEvent): Promise<void> => {
  const from = data['from'] as { readonly phone_number: string | null; readonly user_id: string | null }
  const steps = [
    [`${encodeURIComponent(String(data['id']))}/read`, { typing: true }],
    ['send-text', { to: from.phone_number ?? from.user_id, text: 'We have your message and will answer soon.' }],
  ] as const
  for (const [operation, body] of steps) {
    const request = { method: 'POST', url: `${gatewayUrl}/v1/messages/${operation}`, key, body } as const
    printer.command(curl(request))
    const { status, body: reply } = await sendRequest(request)
    printer.reply(status, reply)
  }
}
