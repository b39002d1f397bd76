import type { Client, Message } from 'postern/client'

/** An invoice of an ERP. */
export type Invoice = { readonly number: string; readonly to: string; readonly pdf: Blob }

/** The message of an invoice, sent now or earlier, or the code of its refusal. */
export type InvoiceResult = { readonly message: string; readonly state: string } | { readonly refused: string }

/** The final states of a message that failed, was found not to have been sent, or was canceled. */
const NEVER_ARRIVED: ReadonlySet<string> = new Set(['failed', 'released', 'canceled'])

/** The newest message for an invoice that was or may have been sent. A refused message, for example without enough money, was never sent, and its key can be used again. */
const messageOf = async (postern: Client, number: string): Promise<Message | undefined | { readonly refused: string }> => {
  for await (const message of postern.messages.list({ metadata: { invoice: number } })) {
    if (!message.ok) return { refused: message.code }
    if (message.value.state !== 'refused') return message.value
  }
  return undefined
}

/**
 * Sends an invoice once, no matter how often the ERP requests it.
 *
 * The number of the invoice is the idempotency key, which is kept for a day. It is also stored in the metadata of the message, to find the message after that day.
 */
export const sendInvoice = async (postern: Client, { number, to, pdf }: Invoice): Promise<InvoiceResult> => {
  const before = await messageOf(postern, number)
  if (before !== undefined && 'refused' in before) return before
  if (before !== undefined && !NEVER_ARRIVED.has(before.state)) return { message: before.id, state: before.state }
  const file = await postern.uploadMedia({ file: new File([pdf], `${number}.pdf`, { type: 'application/pdf' }) })
  if (!file.ok) return { refused: file.code }
  const components = [
    { type: 'header', parameters: [{ type: 'document', document: { id: file.value.id, filename: `${number}.pdf` } }] },
    { type: 'body', parameters: [{ type: 'text', text: number }] },
  ]
  // If the earlier message never arrived, a new key is used, so that the invoice is sent again.
  const idempotencyKey = before === undefined ? `invoice ${number}` : `invoice ${number} after ${before.id}`
  const sent = await postern.sendTemplate({ to, template_name: 'invoice', components, metadata: { invoice: number } }, { idempotencyKey })
  if (sent.ok) return { message: sent.messageId ?? sent.value.message_id, state: 'accepted' }
  // The invoice may have been sent, so it is not sent again. An event or the next run reports the outcome.
  return sent.code === 'outcome_unknown' ? { message: sent.messageId ?? number, state: 'unconfirmed' } : { refused: sent.code }
}

/** The states of the invoices of a month, such as `2026-11`, as CSV for the ERP. */
export const monthAsCsv = async (postern: Client, month: string): Promise<string> => {
  const lines = ['invoice,message,state,price,currency,created_at']
  for await (const message of postern.messages.list({})) {
    if (!message.ok) throw new Error(message.message)
    const { id, state, price, currency, created_at: at, metadata } = message.value
    // The newest messages are first.
    if (at < month) break
    if (at.startsWith(month) && metadata?.['invoice'] !== undefined) lines.push([metadata['invoice'], id, state, price, currency, at].map(cell).join(','))
  }
  return `${lines.join('\r\n')}\r\n`
}

/** A cell that a spreadsheet reads as text, not as a formula. */
const cell = (text: string): string => (/^[=+\-@\t\r]|[",\n]/.test(text) ? `"${text.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"` : text)
