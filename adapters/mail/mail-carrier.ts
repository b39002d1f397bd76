import type { AlertCarrier } from '../../core/alerts/use-cases.js'
import { SECOND_MS } from '../../core/kernel/time.js'

/** A mail server, as `smtp://` or `smtps://` with its user and password, and the sender of the mails. */
export type MailOptions = { readonly url: string; readonly from: string }

/** Sends mails. */
export type MailCarrier = {
  readonly carry: AlertCarrier
  /** Connects and signs in. Resolves to the reason, without a secret, if that fails. */
  readonly check: () => Promise<string | undefined>
  readonly close: () => void
}

const TIMEOUT_MS = 10 * SECOND_MS

/** Creates a carrier. nodemailer is loaded with the first mail, because most gateways send none. */
export const makeMailCarrier = ({ url, from }: MailOptions): MailCarrier => {
  let opened: ReturnType<typeof open> | undefined
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS, disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  const attempt = async (work: (transport: Awaited<ReturnType<typeof open>>) => Promise<unknown>): Promise<string | undefined> => {
    try {
      await work(await (opened ??= open()))
      return undefined
    } catch (error) {
      return sentenceOf(error, url)
    }
  }
  return {
    carry: ({ id, to }, { subject, body }) => attempt((transport) =>
      // The same id in every attempt lets a mail server recognise an alert that it has accepted before.
      transport.sendMail({ from, to: to._tag === 'Member' ? to.email : [], subject, text: body, messageId: `<${id}@postern>` })),
    check: () => attempt((transport) => transport.verify()),
    close: () => void opened?.then((transport) => transport.close(), () => undefined),
  }
}

/** The message of an error, without the password of the address. */
const sentenceOf = (error: unknown, url: string): string => {
  const text = error instanceof Error ? error.message : String(error)
  const { password } = new URL(url)
  return [password, decodeURIComponent(password)].reduce((safe, secret) => (secret === '' ? safe : safe.replaceAll(secret, '***')), text)
}
